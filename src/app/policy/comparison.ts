import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AuditLog } from "../../audit/log/log.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { loadForReview } from "../../config/policy/load.ts";
import { homeDirectory } from "../../config/state/directory.ts";
import { checkCommand, type CheckParts, checkRequest } from "../../gate/check.ts";
import { diffPolicies } from "../../policy/comparing/diff-policies.ts";
import { type Difference, type Outcome, outcomeOf, type Witness } from "../../policy/comparing/difference.ts";
import type { Circumstances, Wanted } from "../../policy/comparing/wanted.ts";
import { supposedLabels } from "../../policy/label.ts";
import type { Verdict } from "../../policy/decision.ts";
import type { Policy } from "../../policy/policy.ts";
import { locate } from "../../tools/contract/location.ts";
import { createRegistry } from "../../tools/registry.ts";
import { realDirectory } from "../setup/context.ts";
import { withTemporaryWorkspace } from "../setup/temporary-workspace.ts";
import { loggedCalls, type LogSpan } from "./backtest/logged-calls.ts";
import { type Counted, withLogged } from "./logged-differences.ts";
import { layOutRevision } from "./revision.ts";

/**
 * Where one of the policies comes from: a file or a shipped name, the same with other texts than those on the disk (by real paths), or a file of a git revision
 * (null: as it is staged).
 */
export type PolicySide =
  | { readonly kind: "file"; readonly file: string; readonly texts?: ReadonlyMap<string, string> }
  | { readonly kind: "revision"; readonly revision: string | null; readonly file: string };

export type Comparison = {
  readonly before: Policy;
  readonly after: Policy;
  readonly outcome: Outcome;
  /** Paths in the workspace are relative to it. */
  readonly differences: readonly Difference[];
  /** Of the audit log; absent: nobody asked. */
  readonly counted?: Counted;
  /** The files that an agent could have written and nobody confirmed. */
  readonly unconfirmed: readonly string[];
};

type CompareOptions = {
  readonly clock?: Clock;
  readonly judge?: typeof verdictOf;
  /** Whose calls are counted in each difference. */
  readonly log?: { readonly audit: AuditLog; readonly span: LogSpan };
};

/**
 * What a change of a policy changes. Each call that it names was decided by both policies as `warder check` decides it in an empty workspace. Throws `bad-policy` for a
 * policy that cannot be loaded, `broken-invariant` where the check says otherwise than the comparison.
 */
export async function comparePolicies(
  one: PolicySide,
  other: PolicySide,
  { clock = systemClock, judge = verdictOf, log }: CompareOptions = {},
): Promise<Comparison> {
  return await withTemporaryWorkspace("warder-diff-", async (directory) => {
    const place = realDirectory(directory);
    const workspace = join(place, "workspace");
    mkdirSync(workspace);
    const home = realDirectory(homeDirectory());
    const load = (side: PolicySide, into: string): ReturnType<typeof loadForReview> => {
      const { file, directory: from } =
        side.kind === "file" ? { file: side.file, directory: process.cwd() } : layOutRevision(side, process.cwd(), join(place, into));
      const { texts } = side.kind === "file" ? side : {};
      return loadForReview(file, { workspace, home, directory: from, runsIn: process.cwd(), ...(texts && { textOf: (path) => texts.get(path) ?? null }) });
    };
    const [before, after] = [load(one, "before"), load(other, "after")];
    const policies = [before.loaded.policy, after.loaded.policy] as const;
    const found = diffPolicies(policies[0], policies[1], { workspace, home }, clock.nowMs());
    const { differences, counted } =
      log === undefined ? { differences: found, counted: undefined } : withLogged(found, policies, { workspace, home }, loggedCalls(log.audit, log.span));
    for (const { witness } of differences)
      if (witness !== undefined && !restsOnFiles(witness)) await confirm(witness, policies, { setting: { workspace, home }, judge });
    return {
      before: policies[0],
      after: policies[1],
      outcome: outcomeOf(differences),
      differences: relativeTo(workspace, differences),
      ...(counted && { counted }),
      unconfirmed: [...new Set([...before.unconfirmed, ...after.unconfirmed])],
    };
  });
}

/** Whether it rests on files that are not there to be looked at. */
function restsOnFiles({ circumstances: { isPublic, isUnmeasured } }: Witness): boolean {
  return isPublic === true || isUnmeasured === true;
}

/** Asks the gate what a run would ask it. What it says otherwise is a fault of Warder's own, and nobody should read the rest. */
async function confirm(
  { wanted, circumstances, before, after }: Witness,
  policies: readonly [Policy, Policy],
  { setting, judge }: { readonly setting: CheckParts["setting"]; readonly judge: typeof verdictOf },
): Promise<void> {
  for (const [policy, { verdict }] of [
    [policies[0], before],
    [policies[1], after],
  ] as const) {
    const found = await judge(wanted, partsOf(policy, circumstances, setting));
    if (found !== null && found !== verdict)
      throw new AgentError("broken-invariant", `${policy.name} says ${found} about ${JSON.stringify(wanted)}, and the comparison ${verdict}.`, {
        remedy: "Report this with both policies; do not rely on the comparison.",
      });
  }
}

function partsOf(policy: Policy, { containment, seen, nowMs }: Circumstances, setting: CheckParts["setting"]): CheckParts {
  return { policy, tools: createRegistry(), setting, containment, ownPaths: [], clock: { ...systemClock, nowMs: () => nowMs }, labels: supposedLabels(seen) };
}

/** Null: no call of a tool says just this, or it rests on files that are not there. */
async function verdictOf(wanted: Wanted, parts: CheckParts): Promise<Verdict | null> {
  switch (wanted.kind) {
    case "command":
      return (await checkCommand(parts, wanted.text)).decision;
    case "read":
      return (await checkRequest(parts, "read_file", { kind: "read", path: locate(wanted.path, parts.setting), isRecursive: wanted.isRecursive === true }))
        .decision;
    case "write":
      return (await checkRequest(parts, "write_file", { kind: "write", path: locate(wanted.path, parts.setting) })).decision;
    case "connect":
      return (await checkRequest(parts, "shell", { kind: "connect", host: wanted.host, port: wanted.port })).decision;
    case "invoke":
      return (await checkRequest(parts, wanted.tool, { kind: "invoke", tool: wanted.tool })).decision;
    case "tool":
    case "remember":
    case "message":
    case "schedule":
      return null;
  }
}

function relativeTo(workspace: string, differences: readonly Difference[]): readonly Difference[] {
  const text = JSON.stringify(differences);
  return JSON.parse(text.replaceAll(`${workspace}/`, "").replaceAll(workspace, ".")) as readonly Difference[];
}
