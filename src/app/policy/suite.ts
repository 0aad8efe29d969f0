import { existsSync, readFileSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { readPolicySuite, readSnapshot, snapshotPath, type SuiteCase } from "../../config/policy/suite.ts";
import type { SourcePosition } from "../../policy/decision.ts";
import { oncePerGroup } from "../../policy/matching/rule-words.ts";
import type { Policy } from "../../policy/policy.ts";
import { createRegistry } from "../../tools/registry.ts";
import { readForReview } from "../setup/context.ts";
import { replaceText } from "../setup/replace-text.ts";
import { withTemporaryWorkspace } from "../setup/temporary-workspace.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { type JudgedCase, judgedCases, limitedIds, type SuiteParts } from "./suite-cases.ts";
import { type Undecided, undecidedIn } from "./undecided.ts";

export type SuiteReport = {
  readonly cases: readonly JudgedCase[];
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
  /** What the suite asks and the policy leaves to autonomy and risk. */
  readonly undecided: Undecided;
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
  for (const test of suite) requireLimits(policy, test);
  const cases: JudgedCase[] = [];
  for await (const one of judgedCases(parts, suite)) cases.push(one);
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
    undecided: undecidedIn(cases, readSnapshot(snapshotPath(policyFile, process.cwd()), process.cwd())),
    unconfirmed,
  };
}

/** Writes the snapshot beside the policy, whole or not at all: a part of one would be a snapshot, too. Gives its path. Throws as `replaceText` does. */
export function keepUndecided(policyFile: string, requests: readonly string[]): string {
  const path = snapshotPath(policyFile, process.cwd());
  const before = existsSync(path) ? readFileSync(path, "utf8") : null;
  replaceText(path, before, requests.map((line) => `${line}\n`).join(""), 0o666);
  return path;
}

const placeText = ({ file, line }: SourcePosition): string => `${file}:${String(line)}`;

async function noticed(
  parts: SuiteParts,
  suite: readonly SuiteCase[],
  { policy, what, change, at }: Mutant,
): Promise<NonNullable<SuiteReport["mutants"]>[number]> {
  for await (const { test, isMet } of judgedCases({ ...parts, policy }, suite))
    if (!isMet) return { what, change, at: placeText(at), noticedBy: placeText(test.at) };
  return { what, change, at: placeText(at), noticedBy: null };
}

/** Throws `bad-policy` where a case says how often a rule was used that has no limit. */
function requireLimits(policy: Policy, { used = {}, at }: SuiteCase): void {
  const stranger = Object.keys(used).find((id) => !limitedIds(policy).includes(id));
  if (stranger === undefined) return;
  const problem = `\`used\` names ${JSON.stringify(stranger)}, and no rule of that id has a limit.`;
  throw new AgentError("bad-policy", `${placeText(at)}: ${problem} Name a rule with \`max\`.`);
}
