import { posix } from "node:path";
import type { Request } from "../../policy/request.ts";
import { besideDatabase } from "../../shell/effects/operands/file-names.ts";
import type { CommandAnalysis, Condition, NamedFiles, ObeyedRepository, OddNames, PathOperand } from "../../shell/model/model.ts";

/** Every path whose facts a decision about these requests may rest on: absolute, each once, sorted. */
export function measuredPaths(requests: readonly Request[], roots: readonly string[]): readonly string[] {
  const paths = new Set(roots);
  for (const request of requests) {
    if (request.kind === "read" || request.kind === "write") paths.add(request.path);
    if (request.kind !== "command") continue;
    paths.add(request.cwd);
    for (const path of pathsOf(request.analysis)) paths.add(path);
  }
  return [...paths].filter((path) => path.startsWith("/") && !path.includes("\0")).toSorted();
}

function* pathsOf(analysis: CommandAnalysis): Generator<string> {
  for (const simple of analysis.simples) if (simple.cwd.kind === "known") yield simple.cwd.path;
  for (const { path } of analysis.effects) if (path !== undefined) yield* pathsOfOperand(path);
  for (const condition of conditionsOf(analysis)) yield* pathsOfCondition(condition);
}

function* pathsOfCondition(condition: Condition): Generator<string> {
  switch (condition.kind) {
    case "files":
      yield condition.directory;
      yield* condition.files;
      yield* condition.homeFiles;
      break;
    case "plain-schema":
      yield condition.database;
      yield* besideDatabase(condition.database);
      break;
    case "named-files":
    case "option-names":
      yield condition.directory;
      break;
    case "odd-names":
      yield* condition.starts;
  }
}

/** Databases whose schema a decision about these requests may rest on: absolute, each once, sorted. */
export function measuredDatabases(requests: readonly Request[]): readonly string[] {
  return [...new Set(allConditions(requests).flatMap((condition) => (condition.kind === "plain-schema" ? condition.database : [])))].toSorted();
}

/** The beginnings of names, each with its directory, that a decision about these requests may rest on, each once, sorted. */
export function measuredBeginnings(requests: readonly Request[]): readonly NamedFiles[] {
  const named = allConditions(requests).filter((condition) => condition.kind === "named-files");
  const byPattern = new Map(named.map((condition) => [patternOf(condition), condition]));
  return [...byPattern.keys()].toSorted().flatMap((pattern) => byPattern.get(pattern) ?? []);
}

export function patternOf({ directory, beginning }: NamedFiles): string {
  return `${directory}/${beginning}*`;
}

/** A directory whose names are looked at, and how the command will print them: with the directory before them, or alone. */
export type NameLook = { readonly start: string; readonly as: OddNames["as"] };

/** The directories whose names a decision about these requests may rest on: absolute, each once for each way to look at it, sorted. */
export function measuredStarts(requests: readonly Request[]): readonly NameLook[] {
  const odd = allConditions(requests).filter((condition) => condition.kind === "odd-names");
  const looks = odd.flatMap(({ starts, as }) => starts.map((start) => ({ start, as })));
  const byName = new Map(looks.map((look) => [nameOfLook(look), look]));
  return [...byName.keys()].toSorted().flatMap((name) => byName.get(name) ?? []);
}

export function nameOfLook({ start, as }: NameLook): string {
  return `${as} ${start}`;
}

/** The directories right in which names are looked at for a decision about these requests: absolute, each once, sorted. */
export function measuredFolders(requests: readonly Request[]): readonly string[] {
  return [...new Set(allConditions(requests).flatMap((condition) => (condition.kind === "option-names" ? condition.directory : [])))].toSorted();
}

/** The repositories whose configuration a decision about these requests rests on, each once. */
export function measuredRepositories(requests: readonly Request[]): readonly ObeyedRepository[] {
  const all = requests.flatMap((request) => (request.kind === "command" ? (request.analysis.repositories ?? []) : []));
  return [...new Map(all.map((each) => [nameOfRepository(each), each])).values()];
}

export function nameOfRepository({ directory, isCalm, isConnecting, gainsSubmodules, mayAppear, mayBecomeBare }: ObeyedRepository): string {
  return JSON.stringify([directory, isCalm, isConnecting, gainsSubmodules, mayAppear, mayBecomeBare]);
}

function allConditions(requests: readonly Request[]): readonly Condition[] {
  return requests.flatMap((request) => (request.kind === "command" ? [...conditionsOf(request.analysis)] : []));
}

function* conditionsOf({ effects, without }: CommandAnalysis): Generator<Condition> {
  for (const { through } of effects) if (through !== undefined) yield through;
  yield* without ?? [];
}

function* pathsOfOperand(operand: PathOperand): Generator<string> {
  if (operand.kind === "literal") yield operand.path;
  else if (operand.kind === "pattern") yield operand.directory;
  // What a dynamic word is certain to begin with: the directory of it is certain too.
  else if (operand.prefix.startsWith("/")) yield posix.dirname(`${posix.normalize(operand.prefix)}x`);
}

/**
 * Files that the commands are known to execute, or to take as script or configuration, and those that a tool writes by itself: what an approval is
 * bound to, because a person is shown what becomes of them.
 */
export function boundFiles(requests: readonly Request[]): readonly string[] {
  const files = new Set<string>();
  for (const request of requests) {
    if (request.kind === "write" && request.path.startsWith("/") && !request.path.includes("\0")) files.add(request.path);
    if (request.kind !== "command") continue;
    for (const path of request.analysis.needs) files.add(path);
    for (const effect of request.analysis.effects) {
      if (effect.kind === "runs-code" && effect.path?.kind === "literal") files.add(effect.path.path);
    }
  }
  return [...files].toSorted();
}

/** What leaves the workspace, or outlasts it: which of its files go along, or say where to, is known to nobody who sees only the command. */
const REACHING: ReadonlySet<string> = new Set(["publishes", "remote", "sends", "persists", "privilege", "system"]);

/**
 * Whether the commands carry something out of the workspace, or go where its configuration says (`git fetch` by `.git/config`): a person approves what would
 * go where at that moment, so everything in the roots is bound.
 */
export function reachesOut(requests: readonly Request[]): boolean {
  return requests.some(
    (request) => request.kind === "command" && request.analysis.effects.some(({ kind, host }) => REACHING.has(kind) || host?.kind === "configured"),
  );
}

/**
 * Whether the commands execute code: a script loads what it likes, so which files an approval is about is known to nobody, and
 * everything that it could load is bound instead.
 */
export function runsCode(requests: readonly Request[]): boolean {
  return requests.some(
    (request) =>
      request.kind === "command" &&
      request.analysis.effects.some((effect) => effect.kind === "unknown" || effect.kind === "undecidable" || effect.kind === "runs-code"),
  );
}
