import { realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { deepFreeze } from "../../base/freeze.ts";
import { compilePolicy } from "../../policy/compiling/compile.ts";
import { errorAt, renderDiagnostics, type PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import { type PolicyReading, readPolicyDocument } from "../../policy/language/document.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import type { Policy } from "../../policy/policy.ts";
import { isShipped, SHIPPED_POLICIES } from "../shipped-policies.ts";
import { homeDirectory, stateDirectory } from "../state/directory.ts";
import { readWorkspaces } from "../state/workspaces.ts";
import { type Ceiling, ceilingsOf } from "./ceilings.ts";
import { parentPath, policyPath, readPolicyFile, type PolicyFile } from "./files.ts";
import { readingOf } from "./kept-readings.ts";
import { trustIn } from "./trust.ts";

export type LoadPolicyOptions = {
  /** Absolute path of `--workspace`: the root `.`. */
  readonly workspace: string;
  /** Absent: the home of whoever runs this. */
  readonly home?: string;
  /** Where Warder keeps its state, with the digests that a person confirmed. Absent: where WARDER_HOME says. */
  readonly stateDirectory?: string;
  /** Where the organisation's ceiling lies and who writes it. Absent: /etc/warder/policy.yaml, and root. */
  readonly organisation?: Ceiling;
  /** Where a relative path of a policy starts; the working directory of the person who named it. */
  readonly directory?: string;
};

export type LoadedPolicy = {
  readonly policy: Policy;
  /** Where a file asks for more than what it extends leaves it. */
  readonly warnings: readonly PolicyDiagnostic[];
  /** The warnings as text with code frames; empty when there are none. */
  readonly renderedWarnings: string;
  /** The texts it was made from, by the names that decisions and diagnostics show. */
  readonly sources: ReadonlyMap<string, string>;
};

/** The name by which a policy's own statements say where they stand: of its texts the first. */
export function ownFileOf({ sources }: LoadedPolicy): string {
  return sources.keys().next().value ?? "";
}

/** What a policy was loaded from and for: real paths, and the file as a person named it, absolute. */
export type PolicyOrigin = { readonly named: string; readonly workspace: string; readonly home: string; readonly stateDirectory: string };

const origins = new WeakMap<LoadedPolicy, PolicyOrigin>();

/** Null: `loadPolicy` did not make it, so nobody has checked what it says. */
export function originOf(loaded: LoadedPolicy): PolicyOrigin | null {
  return origins.get(loaded) ?? null;
}

const MAX_EXTENDS = 8;

/**
 * Loads a policy by shipped name or path, with everything it extends. Throws `bad-policy` with rendered diagnostics (file, line,
 * column, code frame) for whatever is wrong, and for a file that the agent could have written and nobody confirmed.
 */
export function loadPolicy(nameOrPath: string, options: LoadPolicyOptions): LoadedPolicy {
  const { loaded, origin, unconfirmed } = readPolicy(nameOrPath, options);
  const [first] = unconfirmed;
  if (first !== undefined) throw first.error;
  origins.set(loaded, origin);
  return loaded;
}

/**
 * The same for a person's or a pipeline's look at a policy: a text that nobody confirmed is read, and `unconfirmed` names the files that no run in `runsIn`
 * (absent: the workspace) would take. Nothing takes what this returns for a policy that `loadPolicy` loaded, so no run begins with it.
 */
export function loadForReview(nameOrPath: string, options: ReviewOptions): { readonly loaded: LoadedPolicy; readonly unconfirmed: readonly string[] } {
  const { loaded, unconfirmed } = readPolicy(nameOrPath, options);
  return { loaded, unconfirmed: unconfirmed.map(({ file }) => file) };
}

type ReviewOptions = LoadPolicyOptions & {
  readonly runsIn?: string;
  /** What the file holds in an editor, instead of what it holds on the disk. */
  readonly text?: string;
};

/** Thrown as `bad-policy` for what is wrong in the texts, with its places. */
export class PolicyTextError extends AgentError {
  readonly diagnostics: readonly PolicyDiagnostic[];

  constructor(diagnostics: readonly PolicyDiagnostic[], sources: ReadonlyMap<string, string>) {
    super("bad-policy", renderDiagnostics(diagnostics, sources));
    this.diagnostics = diagnostics;
  }
}

type ReadResult = {
  readonly loaded: LoadedPolicy;
  readonly origin: PolicyOrigin;
  readonly unconfirmed: readonly { readonly file: string; readonly error: AgentError }[];
};

function readPolicy(nameOrPath: string, options: ReviewOptions): ReadResult {
  const { directory = process.cwd(), home = homeDirectory(), stateDirectory: state = stateDirectory(process.env) } = options;
  const named = policyPath(nameOrPath, directory);
  const files = readChain(named, { directory, text: options.text, stateDirectory: state });
  const ceilings = ceilingsOf(state, options.organisation).map((path) => readChain(path, { directory, text: undefined, stateDirectory: state }));
  const sources = new Map([...files, ...ceilings.flat()].map((file) => [file.file, file.text]));
  const places = { workspace: realPath(options.workspace), home: realPath(home), stateDirectory: realPath(state) };
  const result = compilePolicy(files, { ...places, realPath }, ceilings);
  if (result.kind === "refused") throw new PolicyTextError(result.diagnostics, sources);
  const policy = deepFreeze(result.policy);
  const unconfirmed = files.flatMap((file) => {
    const error = unconfirmedIn(file, policy, { workspace: options.runsIn === undefined ? places.workspace : realPath(options.runsIn), stateDirectory: state });
    return error === null ? [] : [{ file: file.file, error }];
  });
  const loaded = Object.freeze({ policy, warnings: result.warnings, renderedWarnings: renderDiagnostics(result.warnings, sources), sources });
  return { loaded, origin: Object.freeze({ named, ...places }), unconfirmed };
}

/** The file and what it extends, outermost parent last. */
function readChain(
  path: string,
  { directory, text, stateDirectory: state }: { readonly directory: string; readonly text: string | undefined; readonly stateDirectory: string },
): readonly ReadFile[] {
  const file = shownName(path, directory);
  const chain = [
    text === undefined ? withReading(readPolicyFile(path, file), state) : withReading({ file, path: realPath(path), text, identity: "", owner: -1 }, null),
  ];
  for (;;) {
    const child = chain.at(-1) as ReadFile;
    // What is wrong with the child is reported by the compilation, with everything else.
    const parent = "diagnostics" in child.reading ? undefined : child.reading.document.extends;
    if (parent === undefined) return chain;
    const above = readParent(parent, child, directory);
    if (chain.some((known) => known.path === above.path)) throw atExtends(child, `It extends ${above.file}, which extends it.`);
    if (chain.length >= MAX_EXTENDS) throw atExtends(child, `Policies extend each other more than ${MAX_EXTENDS} deep.`);
    chain.push(withReading(above, state));
  }
}

/** What a policy extends. That it cannot be read is said where it is named. */
function readParent(parent: string, child: ReadFile, directory: string): PolicyFile {
  try {
    const path = parentPath(parent, child);
    return readPolicyFile(path, shownName(path, directory));
  } catch (error) {
    if (error instanceof AgentError && error.code === "bad-policy") throw atExtends(child, error.message);
    throw error;
  }
}

function atExtends({ file, text, reading }: ReadFile, message: string): PolicyTextError {
  const at = "text" in reading ? reading.text.at(["extends"]) : { file, line: 1, column: 1 };
  return new PolicyTextError([errorAt(at, message)], new Map([[file, text]]));
}

type ReadFile = PolicyFile & { readonly reading: PolicyReading };

/** `stateDirectory`: where readings are kept; null for a text that nobody saved. */
function withReading(file: PolicyFile, state: string | null): ReadFile {
  // The bundle holds what is read of the shipped ones.
  return { ...file, reading: state === null || isShipped(file.path) ? readPolicyDocument(file.file, file.text) : readingOf(file, state) };
}

/** As a person would name it from where they are; shipped ones by their place in the package. */
function shownName(path: string, directory: string): string {
  if (isWithin(path, SHIPPED_POLICIES)) return `policies${path.slice(SHIPPED_POLICIES.length)}`;
  const fromHere = relative(directory, path);
  return fromHere === "" || /^\.\.\/\.\.(?:\/|$)/u.test(fromHere) ? path : fromHere;
}

/**
 * A file where an agent may write, in this workspace or in any other that Warder knows, may be its own words: it is loaded only with a digest that a
 * person confirmed. So is one that a person confirmed once, wherever it lies. The shipped policies are as trusted as the code beside them.
 */
function unconfirmedIn(file: PolicyFile, policy: Policy, options: { readonly workspace: string; readonly stateDirectory: string }): AgentError | null {
  if (isShipped(file.path)) return null;
  const trust = trustIn(file, options.stateDirectory);
  if (trust === "this-text") return null;
  const places = [options.workspace, ...policy.workspace.roots.filter((root) => root.access === "read-write").map((root) => root.path)];
  const isHere = places.some((place) => isWithin(file.path, place));
  const isKnown = !isHere && (readWorkspaces(options.stateDirectory) ?? []).some((place) => isWithin(file.path, place));
  if (trust === "nothing" && !isHere && !isKnown) return null;
  if (trust === "another-text" && !isHere && !isKnown)
    return new AgentError(
      "bad-policy",
      `The policy ${file.file} was confirmed with another text, under this name or another, and nobody has confirmed this text.`,
      {
        remedy: `Read it, then run: warder policy trust ${file.file}`,
      },
    );
  return new AgentError(
    "bad-policy",
    `The policy ${file.file} lies in ${isHere ? "the" : "a"} workspace, where an agent could have written it, and nobody has confirmed this text.`,
    { remedy: `Read it, then run: warder policy trust ${file.file}` },
  );
}

/** With links resolved as far as the path exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || path === "/")
      throw new AgentError("bad-policy", `The path ${path} cannot be resolved.`, { cause: error });
    return join(realPath(dirname(path)), basename(path));
  }
}
