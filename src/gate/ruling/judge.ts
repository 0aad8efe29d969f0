import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { Decision } from "../../policy/decision.ts";
import { decide } from "../../policy/deciding/evaluate.ts";
import type { Facts, PathFact } from "../../policy/facts.ts";
import type { Policy } from "../../policy/policy.ts";
import type { CallRequest, Request } from "../../policy/request.ts";
import { analyseCommand } from "../../shell/analyse.ts";
import type { NamedFiles } from "../../shell/model/model.ts";
import { BARE_NAMES, ORDINARY_NAMES, PLAIN_NAMES } from "../../shell/effects/operands/file-names.ts";
import type { ToolRequest, ToolSetting } from "../../tools/contract/tool.ts";
import type { FactSource } from "../facts/fact-source.ts";
import {
  executedFiles,
  measuredBeginnings,
  measuredDatabases,
  measuredFolders,
  measuredPaths,
  measuredStarts,
  nameOfLook,
  type NameLook,
  patternOf,
} from "../facts/needed-facts.ts";
import { refusal } from "./refusal.ts";
import { withoutAbsent } from "../facts/conditional-effects.ts";

/** A `make` that calls `npm run` that calls `make` needs a text each; what needs more stays undecided. */
const MAX_ANALYSIS_ROUNDS = 3;
const MAX_TEXTS = 32;
/** Below more directories than these nobody looks at the names. */
const MAX_STARTS = 8;

/** Everything a verdict depends on besides the call. */
export type Bench = {
  readonly policy: Policy;
  readonly setting: ToolSetting;
  readonly source: FactSource;
  readonly containment: "profile" | "none";
  readonly isSandboxReady: boolean;
  readonly ownPaths: readonly string[];
  readonly clock: Clock;
  isStopped(tool: string): boolean;
  isNetworkStopped(): boolean;
  actionsLeft(): number | null;
  asksLeft(): number | null;
};

/** What the decision rested on; measured again before anything is spent. */
export type Measured = {
  readonly paths: ReadonlyMap<string, PathFact>;
  /** sha256 of each file that is known to be executed or read as configuration; null: none there. */
  readonly files: ReadonlyMap<string, string | null>;
  /** The tables of each database that holds nothing but ordinary tables and indexes; null: others, or nobody knows. */
  readonly tables: ReadonlyMap<string, readonly string[] | null>;
  /** What {@link nameOfLook} says of the directories below which every name was seen, and is plain. */
  readonly plain: ReadonlySet<string>;
  /** The directories right in which every name was seen, and is a file's to every program. */
  readonly ordinary: ReadonlySet<string>;
  /** Patterns (`/w/packer-*`) that no name in their directory matches, all of which were seen. */
  readonly unmatched: ReadonlySet<string>;
};

export const NOTHING_MEASURED: Measured = {
  paths: new Map(),
  files: new Map(),
  tables: new Map(),
  plain: new Set(),
  ordinary: new Set(),
  unmatched: new Set(),
};

/** How often a call is looked at anew because a file that it rests on changed under the look. */
const MAX_LOOKS = 3;

export type Judgement = { readonly call: CallRequest; readonly measured: Measured; readonly decision: Decision };

/**
 * Analyses, measures and decides what a tool asked for. Runs nothing. What was analysed and what the decision is bound to are two looks at a file: they must
 * have seen the same, or one script would be judged and another one run.
 */
export async function judge(bench: Bench, tool: string, wanted: readonly ToolRequest[]): Promise<Judgement> {
  let changed = "";
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const analyses = await Promise.all(wanted.map((request) => analysed(bench, request)));
    const requests = analyses.map(({ request }) => request);
    const measured = await measure(bench, requests);
    const call = { tool, requests: requests.map((request) => withoutAbsent(request, { ...measured, measured: bench.source.measured })) };
    const other = analyses.flatMap(({ texts }) => [...texts]).find(([path, text]) => text !== null && measured.files.get(path) !== sha256(text));
    if (other === undefined) return { call, measured, decision: decide(bench.policy, call, factsOf(bench, tool, measured)) };
    [changed] = other;
  }
  const decision = refusal(
    "facts-changed",
    `${changed} changes while it is looked at, so nobody can say what this would run.`,
    "the same call when nothing changes that file",
  );
  return { call: { tool, requests: [] }, measured: NOTHING_MEASURED, decision };
}

/** Measures what a decision about these requests rests on. */
export async function measure(bench: Bench, requests: readonly Request[]): Promise<Measured> {
  const paths = measuredPaths(
    requests,
    bench.policy.workspace.roots.map((root) => root.path),
  );
  const files = executedFiles(requests);
  const facts = await bench.source.resolve(paths);
  const hashes = files.length === 0 ? [] : await bench.source.hash(files);
  const databases = measuredDatabases(requests);
  const tables = await bench.source.tables(databases);
  // A source that answers for other paths than it was asked has measured nothing.
  const measuredFacts = facts.filter((fact, index) => fact.path === paths[index]);
  return {
    paths: new Map(measuredFacts.map((fact) => [fact.path, fact])),
    files: new Map(files.map((path, index) => [path, hashes[index] ?? null])),
    tables: new Map(databases.map((path, index) => [path, tables[index] ?? null])),
    plain: await plainLooks(bench.source, measuredStarts(requests)),
    ordinary: await ordinaryFolders(bench.source, measuredFolders(requests)),
    unmatched: await unmatchedPatterns(bench.source, measuredBeginnings(requests)),
  };
}

/** Those looks at names in which every name is known, and plain. */
async function plainLooks(source: FactSource, looks: readonly NameLook[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const look of looks.slice(0, MAX_STARTS)) {
    const names = await (look.as === "tracked" ? source.tracked(look.start) : source.names(look.start, look.as === "listed" ? 1 : undefined));
    const like = look.as === "paths" ? PLAIN_NAMES : BARE_NAMES;
    if (names?.every((name) => like.test(name)) === true) found.add(nameOfLook(look));
  }
  return found;
}

/** Those of the directories of which every name is known, and a file's to every program. */
async function ordinaryFolders(source: FactSource, directories: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const each of directories.slice(0, MAX_STARTS)) if ((await source.names(each, 1))?.every((name) => ORDINARY_NAMES.test(name)) === true) found.add(each);
  return found;
}

async function unmatchedPatterns(source: FactSource, beginnings: readonly NamedFiles[]): Promise<ReadonlySet<string>> {
  const unmatched = new Set<string>();
  for (const each of beginnings.slice(0, MAX_STARTS))
    if ((await source.names(each.directory, 1))?.every((name) => !name.startsWith(each.beginning)) === true) unmatched.add(patternOf(each));
  return unmatched;
}

/** What was measured, as the policy sees it. */
export function factsOf(bench: Bench, tool: string, measured: Measured): Facts {
  return {
    measured: bench.source.measured,
    containment: bench.containment,
    nowMs: bench.clock.nowMs(),
    isStopped: bench.isStopped(tool),
    isNetworkStopped: bench.isNetworkStopped(),
    isSandboxReady: bench.isSandboxReady,
    actionsLeft: bench.actionsLeft(),
    asksLeft: bench.asksLeft(),
    paths: measured.paths,
    home: bench.setting.home,
    ownPaths: bench.ownPaths,
  };
}

/** A request, and the texts of files that its analysis rests on. */
type Analysed = { readonly request: Request; readonly texts: ReadonlyMap<string, string | null> };

async function analysed(bench: Bench, request: ToolRequest): Promise<Analysed> {
  if (request.kind !== "command") return { request, texts: new Map() };
  const texts = new Map<string, string | null>();
  const context = { cwd: request.cwd, home: bench.setting.home };
  let analysis = analyseCommand(request.text, context);
  for (let round = 0; round < MAX_ANALYSIS_ROUNDS; round += 1) {
    const needed = analysis.needs.filter((path) => !texts.has(path)).slice(0, MAX_TEXTS - texts.size);
    if (needed.length === 0) break;
    const found = await bench.source.texts(needed);
    for (const path of needed) texts.set(path, found.get(path) ?? null);
    analysis = analyseCommand(request.text, { ...context, texts });
  }
  return { request: { kind: "command", text: request.text, cwd: request.cwd, analysis }, texts };
}
