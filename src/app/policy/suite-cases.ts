import { type Clock, systemClock } from "../../base/clock.ts";
import type { SuiteCase } from "../../config/policy/suite.ts";
import type { CheckVerdict } from "../../gate/check-verdict.ts";
import { type CheckParts, type Examined, examineCommand, examineRequest, refuseUnseen } from "../../gate/check.ts";
import { supposedLabels } from "../../policy/label.ts";
import type { Policy } from "../../policy/policy.ts";
import { momentMs } from "../../policy/text/day.ts";
import { openPassingLedger } from "../../store/passing-ledger.ts";
import { locate } from "../../tools/contract/location.ts";
import { countingOf } from "./backtest/counting.ts";

export type SuiteParts = Omit<CheckParts, "containment" | "labels"> & { readonly clock: Clock };

export type JudgedCase = { readonly test: SuiteCase; readonly verdict: CheckVerdict; readonly isMet: boolean };

/** A run of calls that follow each other: its limits, and what time it is. */
type Turns = { readonly ledger: ReturnType<typeof openPassingLedger>; nowMs: number };

/** Each case of a suite with what came of it, in order. Calls of one case count against the limits as those of one run do, each at its time. */
export async function* judgedCases(parts: SuiteParts, suite: readonly SuiteCase[]): AsyncGenerator<JudgedCase> {
  let turns: Turns | null = null;
  try {
    for (const test of suite) {
      if (test.inTurn?.isFirst !== false) {
        turns?.ledger.close();
        turns = test.inTurn === undefined ? null : { ledger: openPassingLedger(), nowMs: clockOf(parts, test).nowMs() };
      }
      const verdict = turns === null ? (await examined(partsOf(parts, test), test)).verdict : await inTurn(parts, test, turns);
      yield { test, verdict, isMet: verdict.decision === test.decision && (test.rule === undefined || verdict.rules[0]?.id === test.rule) };
    }
  } finally {
    turns?.ledger.close();
  }
}

/** By what was left after the calls before it. A question about it is answered as the case says, and with yes where it says nothing. */
async function inTurn(parts: SuiteParts, test: SuiteCase, turns: Turns): Promise<CheckVerdict> {
  turns.nowMs += test.inTurn?.afterMs ?? 0;
  const about = { ...partsOf(parts, test), clock: { ...systemClock, nowMs: () => turns.nowMs } };
  const counting = countingOf(about, "suite", turns.ledger);
  if (counting.isOutOfCalls) return refuseUnseen(about, "budget-calls", "The limit on calls is used up.");
  const { verdict, judgement } = await examined({ ...about, state: counting.state }, test);
  counting.take(judgement, test.inTurn?.isRefused === true);
  return verdict;
}

function partsOf(parts: SuiteParts, test: SuiteCase): CheckParts & { readonly clock: Clock } {
  return {
    ...parts,
    containment: test.containment,
    ...(test.seen === undefined ? {} : { labels: supposedLabels(test.seen) }),
    ...(test.used === undefined ? {} : { uses: usesBefore(parts.policy, test) }),
    clock: clockOf(parts, test),
  };
}

/** Of every rule with a limit, as the case says; those that it does not name were not used. */
function usesBefore(policy: Policy, { used = {} }: SuiteCase): ReadonlyMap<string, number> {
  return new Map(limitedIds(policy).map((id) => [id, used[id] ?? 0]));
}

/** The rules that have a limit. */
export function limitedIds({ commands }: Policy): readonly string[] {
  return commands.rules.flatMap(({ id, max }) => (max === undefined ? [] : [id]));
}

/** A clock that stands at a moment, or in the last one of a day. */
function clockOf({ clock }: SuiteParts, { on }: SuiteCase): Clock {
  return on === undefined ? clock : { ...clock, nowMs: () => momentMs(on) ?? Number.NaN };
}

async function examined(parts: CheckParts, { wanted: { kind, text } }: SuiteCase): Promise<Examined> {
  switch (kind) {
    case "command":
      return await examineCommand(parts, text);
    case "read":
      return await examineRequest(parts, "read_file", { kind, path: locate(text, parts.setting), isRecursive: false });
    case "write":
      return await examineRequest(parts, "write_file", { kind, path: locate(text, parts.setting) });
    case "connect": {
      const [host = "", port = "443"] = text.split(":");
      return await examineRequest(parts, "shell", { kind, host, port: Number(port) });
    }
    case "invoke":
      return await examineRequest(parts, text, { kind, tool: text });
  }
}
