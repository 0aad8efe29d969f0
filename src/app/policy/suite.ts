import { type Clock, systemClock } from "../../base/clock.ts";
import { readPolicySuite, type SuiteCase } from "../../config/policy/suite.ts";
import { checkCommand, checkRequest, type CheckParts } from "../../gate/check.ts";
import type { CheckVerdict } from "../../gate/check-verdict.ts";
import { supposedLabels } from "../../policy/label.ts";
import { oncePerGroup } from "../../policy/matching/rule-words.ts";
import { momentMs } from "../../policy/text/day.ts";
import { createRegistry } from "../../tools/registry.ts";
import { locate } from "../../tools/contract/location.ts";
import { readForReview } from "../setup/context.ts";
import { withTemporaryWorkspace } from "../setup/temporary-workspace.ts";

export type SuiteReport = {
  readonly cases: readonly { readonly test: SuiteCase; readonly verdict: CheckVerdict; readonly isMet: boolean }[];
  /** The policy's command rules, those of what it extends too, and whether any case made them speak. */
  readonly rules: readonly { readonly id: string; readonly at: string; readonly isMet: boolean }[];
  /** The files of the policy that an agent could have written and nobody confirmed. */
  readonly unconfirmed: readonly string[];
};

/**
 * Holds a policy against the suite beside it: each case is judged as `warder check` would judge it in the workspace. Without one that is an empty
 * directory, so a suite comes to the same wherever it is run. Throws `usage` or `bad-policy` when the workspace, the policy or the suite cannot be read.
 */
export async function testPolicy(policyFile: string, workspace: string | undefined): Promise<SuiteReport> {
  if (workspace !== undefined) return await testIn(policyFile, workspace);
  return await withTemporaryWorkspace("warder-suite-", async (empty) => await testIn(policyFile, empty, process.cwd()));
}

async function testIn(policyFile: string, workspace: string, runsIn?: string): Promise<SuiteReport> {
  const { policy, workspace: real, home, ownPaths, unconfirmed } = readForReview(policyFile, workspace, runsIn);
  const suite = readPolicySuite(policyFile, process.cwd());
  const parts = { policy, tools: createRegistry(), setting: { workspace: real, home }, ownPaths, clock: systemClock };
  const cases: SuiteReport["cases"][number][] = [];
  for (const test of suite) {
    const verdict = await verdictOn(
      {
        ...parts,
        containment: test.containment,
        ...(test.seen === undefined ? {} : { labels: supposedLabels(test.seen) }),
        ...(test.on === undefined ? {} : { clock: clockOn(test.on) }),
      },
      test,
    );
    cases.push({ test, verdict, isMet: verdict.decision === test.decision && (test.rule === undefined || verdict.rules[0]?.id === test.rule) });
  }
  const spoke = new Set(cases.flatMap(({ verdict }) => verdict.rules.map(({ id }) => id)));
  return { cases, rules: oncePerGroup(policy.commands.rules).map(({ id, at }) => ({ id, at: `${at.file}:${at.line}`, isMet: spoke.has(id) })), unconfirmed };
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
