import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { policyPath } from "../../../config/policy/files.ts";
import { loadForReview } from "../../../config/policy/load.ts";
import { homeDirectory } from "../../../config/state/directory.ts";
import { checkCommand, type CheckParts } from "../../../gate/check.ts";
import { commandText } from "../../../policy/comparing/command-examples.ts";
import { type Decided, type Difference, GROUPS, type Outcome, outcomeOf } from "../../../policy/comparing/difference.ts";
import { ALL_EXAMPLES } from "../../../policy/comparing/examples.ts";
import type { Policy } from "../../../policy/policy.ts";
import { type ProgramChange, programChanges } from "../../../programs/table-changes.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { realDirectory } from "../../setup/context.ts";
import { withTemporaryWorkspace } from "../../setup/temporary-workspace.ts";
import { callDifferences, type DecidedCall } from "./call-differences.ts";
import { type Introduced, introduce, type OtherWarder, programNamed, verdictsOf } from "./other-warder.ts";
import { isSameWarder, ownTables } from "./own-tables.ts";

export type WarderComparison = {
  /** As this Warder reads it. */
  readonly policy: Policy;
  readonly outcome: Outcome;
  readonly differences: readonly Difference[];
  /** The versions of both. */
  readonly before: string;
  readonly after: string;
  /** So many commands were decided by both. */
  readonly calls: number;
};

type Options = { readonly version: string; readonly silenceMs?: number; readonly mostCalls?: number; readonly clock?: Clock };

/** It starts on a busy machine, too. */
const SILENCE_MS = 300_000;
const MOST_CALLS = 8000;

/**
 * What the Warder at `named` decides otherwise than this one under one policy. Both decide the same commands in the same empty workspace, without anybody's settings: those
 * that show where their tables differ, and some of each effect. Throws `usage` where the other does not answer in full, `bad-policy` where one of them cannot load the policy.
 */
export async function compareWarders(
  named: string,
  file: string,
  { version, silenceMs = SILENCE_MS, mostCalls = MOST_CALLS, clock = systemClock }: Options,
): Promise<WarderComparison> {
  const program = programNamed(named);
  return await withTemporaryWorkspace("warder-versions-", async (directory) => {
    const place = realDirectory(directory);
    const [workspace, state] = [join(place, "workspace"), join(place, "state")];
    for (const path of [workspace, state]) mkdirSync(path, { mode: 0o700 });
    const home = realDirectory(homeDirectory());
    const { policy } = loadForReview(file, { workspace, home, stateDirectory: state }).loaded;
    const parts: CheckParts = { policy, tools: createRegistry(), setting: { workspace, home }, containment: "profile", ownPaths: [], clock };
    const other: OtherWarder = { program, directory: workspace, state, silenceMs };
    const introduced = await introduce(other);
    const own = ownTables(version);
    const { tables } = introduced;
    const base = { policy, before: introduced.version, after: version };
    if (tables !== null && isSameWarder(tables, own)) return { ...base, outcome: "same", differences: [], calls: 0 };
    const { changes, isRead } = changesBetween(introduced, own.families, mostCalls);
    const calls = callsOf(changes);
    const texts = calls.map(({ text }) => text);
    const before = await verdictsOf(other, policyFor(file), { workspace, commands: texts });
    const after = await ownVerdicts(parts, texts);
    const decided = calls.flatMap((call, index): readonly DecidedCall[] => {
      const [was, is] = [before[index], after[index]];
      return was === undefined || is === undefined ? [] : [{ ...call, before: was, after: is }];
    });
    const differences = [...callDifferences(decided, clock.nowMs()), ...limits({ introduced, version, isRead, changes })].toSorted(
      (one, another) => GROUPS.indexOf(one.group) - GROUPS.indexOf(another.group),
    );
    return { ...base, outcome: outcomeOf(differences), differences, calls: calls.length };
  });
}

/** A name stays one, because a shipped policy is each Warder's own. */
function policyFor(file: string): string {
  const path = resolve(file);
  return policyPath(file, process.cwd()) === path ? path : file;
}

type Families = Parameters<typeof programChanges>[1];

/** `isRead`: what the other's tables say was looked at. They may be in a notation that is not yet this one's. */
function changesBetween({ tables }: Introduced, own: Families, most: number): { readonly changes: readonly ProgramChange[]; readonly isRead: boolean } {
  try {
    return { changes: programChanges(tables?.families ?? null, own, most), isRead: tables !== null };
  } catch (error) {
    if (!(error instanceof AgentError) || tables === null) throw error;
    return { changes: programChanges(null, own, most), isRead: false };
  }
}

type Call = Pick<DecidedCall, "program" | "text">;

/** Each text once. */
function callsOf(changes: readonly ProgramChange[]): readonly Call[] {
  const examples = ALL_EXAMPLES.flatMap((wanted) => (wanted.kind === "command" ? [wanted.text] : []));
  const all = [
    ...changes.flatMap(({ program, calls }) => calls.map(({ words, isOpen }) => ({ program, text: `${commandText(words)}${isOpen === true ? ' "$x"' : ""}` }))),
    ...examples.map((text) => ({ program: text.split(" ")[0] ?? text, text })),
  ];
  return [...new Map(all.toReversed().map((call) => [call.text, call])).values()].toReversed();
}

async function ownVerdicts(parts: CheckParts, texts: readonly string[]): Promise<readonly Decided[]> {
  const decided: Decided[] = [];
  for (const text of texts) {
    const { decision, rules } = await checkCommand(parts, text);
    decided.push({ verdict: decision, rule: rules[0]?.id ?? "" });
  }
  return decided;
}

type Looked = { readonly introduced: Introduced; readonly version: string; readonly isRead: boolean; readonly changes: readonly ProgramChange[] };

/** What no call that was looked at shows. */
function limits({ introduced, version, isRead, changes }: Looked): readonly Difference[] {
  const mayWiden = (what: string, why: string, [was, is]: readonly [string, string] | readonly [null, null] = [null, null]): Difference => ({
    group: "may-widen",
    direction: "may-widen",
    part: { what, was, is },
    why,
  });
  const cut = changes.filter(({ isCut }) => isCut).map(({ program }) => program);
  const unread = introduced.tables === null ? "is too old to print its tables" : "has tables in a notation that this one cannot read";
  const words = isRead ? [] : [mayWiden("words that only the other Warder's tables name", `it ${unread}, so they were not looked at`)];
  const further = cut.length === 0 ? [] : [mayWiden(`further calls of ${namesText(cut)}`, "there are more words than one comparison looks at")];
  const code = mayWiden(
    "what is read by code and not by tables",
    "shell and small languages are no set to compare; `warder policy backtest` decides your log again",
    introduced.version === version ? [null, null] : [introduced.version, version],
  );
  return [...words, ...further, code];
}

const MAX_NAMES = 5;

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(makeVisibleLine).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${String(names.length - MAX_NAMES)} more programs` : shown;
}
