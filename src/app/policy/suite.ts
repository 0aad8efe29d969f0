import { type Clock, systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { readPolicySuite, type SuiteCase } from "../../config/policy/suite.ts";
import { checkCommand, checkRequest, type CheckParts } from "../../gate/check.ts";
import type { CheckVerdict } from "../../gate/check-verdict.ts";
import type { SourcePosition } from "../../policy/decision.ts";
import { supposedLabels } from "../../policy/label.ts";
import { oncePerGroup } from "../../policy/matching/rule-words.ts";
import type { Policy } from "../../policy/policy.ts";
import { momentMs } from "../../policy/text/day.ts";
import { createRegistry } from "../../tools/registry.ts";
import { locate } from "../../tools/contract/location.ts";
import { readForReview } from "../setup/context.ts";
import { withTemporaryWorkspace } from "../setup/temporary-workspace.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

export type SuiteReport = {
  readonly cases: readonly { readonly test: SuiteCase; readonly verdict: CheckVerdict; readonly isMet: boolean }[];
  /** The policy's command rules, those of what it extends too, and whether any case made them speak. */
  readonly rules: readonly Coverage[];
  /** The effects that its own file states. */
  readonly effects: readonly Coverage[];
  /** What became of the suite when one statement of the policy was left out or loosened; absent: that was not tried, because nobody asked or a case failed anyway. */
  readonly mutants?: readonly (Omit<Mutant, "policy" | "at"> & {
    readonly at: string;
    /** The first case that failed then; null: none did, so nothing would notice. */
    readonly noticedBy: string | null;
  })[];
  /** The files of the policy that an agent could have written and nobody confirmed. */
  readonly unconfirmed: readonly string[];
};

/** `at`: file and line. */
export type Coverage = { readonly id: string; readonly at: string; readonly isMet: boolean };

export type SuiteOptions = {
  /** Absent: an empty one. */
  readonly workspace?: string;
  /** Tries the suite on every mutant of the policy, too. */
  readonly isMutated?: boolean;
};

/**
 * Holds a policy against the suite beside it: each case is judged as `warder check` would judge it in the workspace. Without one that is an empty
 * directory, so a suite comes to the same wherever it is run. Throws `usage` or `bad-policy` when the workspace, the policy or the suite cannot be read.
 */
export async function testPolicy(policyFile: string, { workspace, isMutated = false }: SuiteOptions = {}): Promise<SuiteReport> {
  if (workspace !== undefined) return await testIn(policyFile, { workspace, isMutated });
  return await withTemporaryWorkspace("warder-suite-", async (empty) => await testIn(policyFile, { workspace: empty, isMutated, runsIn: process.cwd() }));
}

type SuitePlace = { readonly workspace: string; readonly isMutated: boolean; readonly runsIn?: string };

async function testIn(policyFile: string, { workspace, isMutated, runsIn }: SuitePlace): Promise<SuiteReport> {
  const { policy, workspace: real, home, ownPaths, ownFile, unconfirmed } = readForReview(policyFile, workspace, { runsIn });
  const suite = readPolicySuite(policyFile, process.cwd());
  const parts = { policy, tools: createRegistry(), setting: { workspace: real, home }, ownPaths, clock: systemClock };
  const cases: SuiteReport["cases"][number][] = [];
  for (const test of suite) requireLimits(policy, test);
  for (const test of suite) cases.push({ test, ...(await judged(parts, test)) });
  const spoke = new Set(cases.flatMap(({ verdict }) => verdict.rules.map(({ id }) => id)));
  const covered = (id: string, at: SourcePosition, rule = id): Coverage => ({ id, at: placeText(at), isMet: spoke.has(rule) });
  const isOwn = ({ at }: { readonly at: SourcePosition }): boolean => at.file === ownFile;
  const isGreen = cases.every(({ isMet }) => isMet);
  return {
    cases,
    rules: oncePerGroup(policy.commands.rules).map(({ id, at }) => covered(id, at)),
    effects: [...policy.commands.effects].filter(([, effect]) => isOwn(effect)).map(([kind, { at }]) => covered(kind, at, `effect-${kind}`)),
    ...(isMutated && isGreen
      ? { mutants: await Promise.all(mutantsOf(policy, isOwn, parts.setting).map(async (mutant) => await noticed(parts, suite, mutant))) }
      : {}),
    unconfirmed,
  };
}

const placeText = ({ file, line }: SourcePosition): string => `${file}:${String(line)}`;

type SuiteParts = Omit<CheckParts, "containment" | "labels">;

async function judged(parts: SuiteParts, test: SuiteCase): Promise<{ readonly verdict: CheckVerdict; readonly isMet: boolean }> {
  const verdict = await verdictOn(
    {
      ...parts,
      containment: test.containment,
      ...(test.seen === undefined ? {} : { labels: supposedLabels(test.seen) }),
      ...(test.used === undefined ? {} : { uses: usesBefore(parts.policy, test) }),
      ...(test.on === undefined ? {} : { clock: clockOn(test.on) }),
    },
    test,
  );
  return { verdict, isMet: verdict.decision === test.decision && (test.rule === undefined || verdict.rules[0]?.id === test.rule) };
}

async function noticed(
  parts: SuiteParts,
  suite: readonly SuiteCase[],
  { policy, what, change, at }: Mutant,
): Promise<NonNullable<SuiteReport["mutants"]>[number]> {
  for (const test of suite) if (!(await judged({ ...parts, policy }, test)).isMet) return { what, change, at: placeText(at), noticedBy: placeText(test.at) };
  return { what, change, at: placeText(at), noticedBy: null };
}

/** Of every rule with a limit, as the case says; those that it does not name were not used. */
function usesBefore(policy: Policy, { used = {} }: SuiteCase): ReadonlyMap<string, number> {
  return new Map(limitedIds(policy).map((id) => [id, used[id] ?? 0]));
}

function limitedIds({ commands }: Policy): readonly string[] {
  return commands.rules.flatMap(({ id, max }) => (max === undefined ? [] : [id]));
}

/** Throws `bad-policy` where a case says how often a rule was used that has no limit. */
function requireLimits(policy: Policy, { used = {}, at }: SuiteCase): void {
  const stranger = Object.keys(used).find((id) => !limitedIds(policy).includes(id));
  if (stranger === undefined) return;
  const problem = `\`used\` names ${JSON.stringify(stranger)}, and no rule of that id has a limit.`;
  throw new AgentError("bad-policy", `${placeText(at)}: ${problem} Name a rule with \`max\`.`);
}

/** A clock that stands at a moment, or in the last one of a day. */
function clockOn(on: string): Clock {
  return { ...systemClock, nowMs: () => momentMs(on) ?? Number.NaN };
}

async function verdictOn(parts: CheckParts, { wanted }: SuiteCase): Promise<CheckVerdict> {
  const { kind, text } = wanted;
  switch (kind) {
    case "command":
      return await checkCommand(parts, text);
    case "read":
      return await checkRequest(parts, "read_file", { kind, path: locate(text, parts.setting), isRecursive: false });
    case "write":
      return await checkRequest(parts, "write_file", { kind, path: locate(text, parts.setting) });
    case "connect": {
      const [host = "", port = "443"] = text.split(":");
      return await checkRequest(parts, "shell", { kind, host, port: Number(port) });
    }
    case "invoke":
      return await checkRequest(parts, text, { kind, tool: text });
  }
}
