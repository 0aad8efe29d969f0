import type { PathFact } from "../../policy/facts.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Request, ServerPlace } from "../../policy/request.ts";
import { BARE_NAMES, ORDINARY_NAMES, PLAIN_NAMES } from "../../shell/effects/operands/file-names.ts";
import type { NamedFiles, ObeyedRepository } from "../../shell/model/model.ts";
import type { FactSource } from "./fact-source.ts";
import { hostFacts } from "./host-facts.ts";
import {
  boundFiles,
  measuredBeginnings,
  measuredDatabases,
  measuredFolders,
  measuredPaths,
  measuredRepositories,
  measuredStarts,
  nameOfLook,
  nameOfRepository,
  type NameLook,
  patternOf,
} from "./needed-facts.ts";

/** Names below further directories are not looked at, and count as unknown. */
const MAX_STARTS = 8;

/** Of what a call lets one MCP server touch; `files`: sha256 of each that it is to write. */
export type ServedFacts = { readonly paths: ReadonlyMap<string, PathFact>; readonly files: ReadonlyMap<string, string | null> };

/** What the decision rested on; measured again before anything is spent. */
export type Measured = {
  readonly paths: ReadonlyMap<string, PathFact>;
  /** What MCP servers touch, by their names: on this machine, below their roots. */
  readonly served: ReadonlyMap<string, ServedFacts>;
  /** sha256 of each file that is known to be executed, read as configuration, or written by the call itself; null: none there. */
  readonly files: ReadonlyMap<string, string | null>;
  /** The tables of each database that holds nothing but ordinary tables and indexes; null: others, or nobody knows. */
  readonly tables: ReadonlyMap<string, readonly string[] | null>;
  /** What {@link nameOfLook} says of the directories below which every name was seen, and is plain. */
  readonly plain: ReadonlySet<string>;
  /** The directories right in which every name was seen, and is a file's to every program. */
  readonly ordinary: ReadonlySet<string>;
  /** By {@link nameOfRepository}: what makes git run something there; null: nothing. What is missing here, nobody looked at. */
  readonly repositories: ReadonlyMap<string, string | null>;
  /** Patterns (`/w/packer-*`) that no name in their directory matches, all of which were seen. */
  readonly unmatched: ReadonlySet<string>;
};

export const NOTHING_MEASURED: Measured = {
  paths: new Map(),
  served: new Map(),
  files: new Map(),
  tables: new Map(),
  plain: new Set(),
  ordinary: new Set(),
  repositories: new Map(),
  unmatched: new Set(),
};

/** Measures what a decision about these requests rests on. */
export async function measure(
  { policy, narrowing, source }: { readonly policy: Policy; readonly narrowing?: () => readonly Policy[]; readonly source: FactSource },
  all: readonly Request[],
): Promise<Measured> {
  const requests = all.filter((request) => !isOfServer(request));
  const roots = [policy, ...(narrowing?.() ?? [])].flatMap(({ workspace }) => workspace.roots.map(({ path }) => path));
  const paths = measuredPaths(requests, [...new Set(roots)]);
  const files = boundFiles(requests);
  const facts = await source.resolve(paths);
  const hashes = files.length === 0 ? [] : await source.hash(files);
  const databases = measuredDatabases(requests);
  const tables = await source.tables(databases);
  // A source that answers for other paths than it was asked has measured nothing.
  const measuredFacts = facts.filter((fact, index) => fact.path === paths[index]);
  return {
    paths: new Map(measuredFacts.map((fact) => [fact.path, fact])),
    served: await servedFacts(all),
    files: new Map(files.map((path, index) => [path, hashes[index] ?? null])),
    tables: new Map(databases.map((path, index) => [path, tables[index] ?? null])),
    plain: await plainLooks(source, measuredStarts(requests)),
    ordinary: await ordinaryFolders(source, measuredFolders(requests)),
    repositories: await steeringRepositories(source, measuredRepositories(requests)),
    unmatched: await unmatchedPatterns(source, measuredBeginnings(requests)),
  };
}

/** Whether an MCP server does it, by its own code and in its own sandbox. */
export function isOfServer(request: Request): request is Extract<Request, { kind: "server-path" | "command" }> & { readonly place: ServerPlace } {
  return request.kind === "server-path" || (request.kind === "command" && request.place !== undefined);
}

/** A server's sandbox shows this machine's own files at their own paths: they are looked at there, wherever the run is. */
async function servedFacts(requests: readonly Request[]): Promise<Measured["served"]> {
  const touched = requests.filter(isOfServer);
  const served = new Map<string, ServedFacts>();
  for (const [server, all] of Map.groupBy(touched, ({ place }) => place.server)) {
    const roots = (all[0]?.place.roots ?? []).map(({ path }) => path);
    const source = hostFacts(roots);
    const named = all.filter((request) => request.kind === "server-path");
    const paths = [...new Set([...named.map(({ path }) => path), ...measuredPaths(all, [])])].toSorted();
    const written = [...new Set(named.flatMap(({ use, path }) => (use === "write" ? [path] : [])))].toSorted();
    const [facts, hashes] = [await source.resolve(paths), await source.hash(written)];
    served.set(server, { paths: new Map(facts.map((fact) => [fact.path, fact])), files: new Map(written.map((path, index) => [path, hashes[index] ?? null])) });
  }
  return served;
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

async function steeringRepositories(source: FactSource, looks: readonly ObeyedRepository[]): Promise<ReadonlyMap<string, string | null>> {
  const found = new Map<string, string | null>();
  for (const look of looks.slice(0, MAX_STARTS)) found.set(nameOfRepository(look), await source.steersGit(look));
  return found;
}

async function unmatchedPatterns(source: FactSource, beginnings: readonly NamedFiles[]): Promise<ReadonlySet<string>> {
  const unmatched = new Set<string>();
  for (const each of beginnings.slice(0, MAX_STARTS))
    if ((await source.names(each.directory, 1))?.every((name) => !name.startsWith(each.beginning)) === true) unmatched.add(patternOf(each));
  return unmatched;
}
