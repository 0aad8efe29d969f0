import { dirname } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { deepFreeze } from "../../base/freeze.ts";
import { compilePolicy } from "../../policy/compiling/compile.ts";
import { errorAt, renderDiagnostics, type PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import { type PolicyReading, readPolicyDocument } from "../../policy/language/document.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import type { Policy } from "../../policy/policy.ts";
import { isShipped } from "../shipped-policies.ts";
import { homeDirectory, stateDirectory } from "../state/directory.ts";
import { readWorkspaces } from "../state/workspaces.ts";
import { baseRevision, revisionIn } from "./base-revision.ts";
import { type Ceiling, ceilingsOf } from "./ceilings.ts";
import { parentPath, policyPath, readPolicyFile, realPath, shownName, type PolicyFile } from "./files.ts";
import { baseOf, type Held, heldIn, isOfRevision, onDisk, type PolicyBase, type TextOf } from "./held-texts.ts";
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
  /** What the person's settings say of policies in workspaces. Absent: nothing. */
  readonly projects?: ProjectPolicies;
};

export type ProjectPolicies = {
  /** The revision of git from which policies in the workspace's repository are read; null: as they stand there. */
  readonly from: string | null;
  /** Digests of texts that count as confirmed: SHA-256, in hexadecimal. */
  readonly confirmed: readonly string[];
};

export type LoadedPolicy = {
  readonly policy: Policy;
  /** Where a file asks for more than what it extends leaves it. */
  readonly warnings: readonly PolicyDiagnostic[];
  /** The warnings as text with code frames; empty when there are none. */
  readonly renderedWarnings: string;
  /** The texts it was made from, by the names that decisions and diagnostics show. */
  readonly sources: ReadonlyMap<string, string>;
  /** The revision that files of it were read from; null for none. */
  readonly base: PolicyBase | null;
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
  const { loaded, origin, unconfirmed, chain } = readPolicy(nameOrPath, options);
  if (unconfirmed.length > 0) throw new UnconfirmedPolicy(unconfirmed, chain);
  origins.set(loaded, origin);
  return loaded;
}

/**
 * The same for a person's or a pipeline's look at a policy: a text that nobody confirmed is read, and `unconfirmed` names the files that no run in `runsIn`
 * (absent: the workspace) would take. Nothing takes what this returns for a policy that `loadPolicy` loaded, so no run begins with it.
 */
export function loadForReview(nameOrPath: string, options: ReviewOptions): { readonly loaded: LoadedPolicy; readonly unconfirmed: readonly string[] } {
  const { loaded, unconfirmed } = readPolicy(nameOrPath, options);
  return { loaded, unconfirmed: unconfirmed.map(({ file: { file } }) => file) };
}

type ReviewOptions = LoadPolicyOptions & {
  readonly runsIn?: string;
  /** What a file is read to hold instead of what it holds on the disk; null: what is there. Its path is real and absolute. */
  readonly textOf?: TextOf;
};

/** Thrown as `bad-policy` for what is wrong in the texts, with its places. */
export class PolicyTextError extends AgentError {
  readonly diagnostics: readonly PolicyDiagnostic[];

  constructor(diagnostics: readonly PolicyDiagnostic[], sources: ReadonlyMap<string, string>) {
    super("bad-policy", renderDiagnostics(diagnostics, sources));
    this.diagnostics = diagnostics;
  }
}

/** Thrown as `bad-policy` for a policy with texts that an agent could have written and nobody confirmed. A person may confirm just these. */
export class UnconfirmedPolicy extends AgentError {
  readonly files: readonly PolicyFile[];
  /** All files of the policy, its own first. */
  readonly chain: readonly PolicyFile[];

  constructor(unconfirmed: readonly Unconfirmed[], chain: readonly PolicyFile[]) {
    const first = unconfirmed[0]?.error;
    const remedy = first?.remedy ?? null;
    super("bad-policy", first?.problem ?? "", remedy === null ? {} : { remedy });
    this.files = unconfirmed.map(({ file }) => file);
    this.chain = chain;
  }
}

type Unconfirmed = { readonly file: PolicyFile; readonly error: AgentError };

type ReadResult = {
  readonly loaded: LoadedPolicy;
  readonly origin: PolicyOrigin;
  readonly unconfirmed: readonly Unconfirmed[];
  readonly chain: readonly PolicyFile[];
};

function readPolicy(nameOrPath: string, options: ReviewOptions): ReadResult {
  const { directory = process.cwd(), home = homeDirectory(), stateDirectory: state = stateDirectory(process.env), projects } = options;
  const asked = revisionIn(nameOrPath);
  const revision = asked?.revision ?? projects?.from ?? null;
  const base = revision === null ? null : baseRevision(realPath(options.workspace), revision);
  const named = policyPath(asked?.file ?? nameOrPath, directory);
  const files = readChain(named, { directory, held: heldIn(base, directory, options.textOf), stateDirectory: state });
  if (asked !== null && (files[0] === undefined || !isOfRevision(files[0])))
    throw new AgentError("usage", `${nameOrPath} names a revision, and the file lies in no repository of the workspace ${options.workspace}.`, {
      remedy: "Name a file; one with a colon in its name begins with ./",
    });
  const ceilings = ceilingsOf(state, options.organisation).map((path) => readChain(path, { directory, held: onDisk, stateDirectory: state }));
  const sources = new Map([...files, ...ceilings.flat()].map((file) => [file.file, file.text]));
  const places = { workspace: realPath(options.workspace), home: realPath(home), stateDirectory: realPath(state) };
  const result = compilePolicy(files, { ...places, realPath }, ceilings);
  if (result.kind === "refused") throw new PolicyTextError(result.diagnostics, sources);
  const policy = deepFreeze(result.policy);
  const unconfirmed = files.flatMap((file) => {
    const error = unconfirmedIn(file, policy, {
      workspace: options.runsIn === undefined ? places.workspace : realPath(options.runsIn),
      stateDirectory: state,
      confirmed: projects?.confirmed ?? [],
    });
    return error === null ? [] : [{ file, error }];
  });
  const loaded = Object.freeze({
    policy,
    warnings: result.warnings,
    renderedWarnings: renderDiagnostics(result.warnings, sources),
    sources,
    base: base === null ? null : baseOf(base, files),
  });
  return { loaded, origin: Object.freeze({ named: asked === null ? named : `${asked.revision}:${named}`, ...places }), unconfirmed, chain: files };
}

/** The text of a policy's own file, as a run in the repository that holds it would take it: for a person who is to confirm it. */
export function readOwnText(nameOrPath: string, projects: ProjectPolicies, directory = process.cwd()): PolicyFile {
  const asked = revisionIn(nameOrPath);
  const path = policyPath(asked?.file ?? nameOrPath, directory);
  const revision = asked?.revision ?? projects.from;
  const base = revision === null || isShipped(path) ? null : baseRevision(realPath(dirname(path)), revision);
  const held = heldIn(base, directory)(path);
  if (held !== null) return { ...held, file: held.file ?? nameOrPath, owner: -1 };
  if (asked !== null) throw new AgentError("usage", `${nameOrPath} names a revision, and the file lies in no git repository.`);
  return readPolicyFile(path, nameOrPath);
}

type ChainOptions = { readonly directory: string; readonly held: Held; readonly stateDirectory: string };

/** The file and what it extends, outermost parent last. */
function readChain(path: string, options: ChainOptions): readonly ReadFile[] {
  const chain = [readText(path, options)];
  for (;;) {
    const child = chain.at(-1) as ReadFile;
    // What is wrong with the child is reported by the compilation, with everything else.
    const parent = "diagnostics" in child.reading ? undefined : child.reading.document.extends;
    if (parent === undefined) return chain;
    const above = readParent(parent, child, options);
    if (chain.some((known) => known.path === above.path)) throw atExtends(child, `It extends ${above.file}, which extends it.`);
    if (chain.length >= MAX_EXTENDS) throw atExtends(child, `Policies extend each other more than ${MAX_EXTENDS} deep.`);
    chain.push(above);
  }
}

function readText(path: string, { directory, held, stateDirectory: state }: ChainOptions): ReadFile {
  const file = shownName(path, directory);
  const text = held(path);
  if (text === null) return withReading(readPolicyFile(path, file), state);
  // Kept as the person's own: what is kept is known by its text.
  const owner = text.file === null ? -1 : (process.getuid?.() ?? -1);
  return withReading({ ...text, file: text.file ?? file, owner }, text.file === null ? null : state);
}

/** What a policy extends. That it cannot be read is said where it is named. */
function readParent(parent: string, child: ReadFile, options: ChainOptions): ReadFile {
  try {
    return readText(parentPath(parent, child), options);
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

/**
 * A file where an agent may write, in this workspace or in any other that Warder knows, may be its own words: it is loaded only with a digest that a
 * person confirmed. So is one that a person confirmed once, wherever it lies. The shipped policies are as trusted as the code beside them.
 */
function unconfirmedIn(
  file: PolicyFile,
  policy: Policy,
  options: { readonly workspace: string; readonly stateDirectory: string; readonly confirmed: readonly string[] },
): AgentError | null {
  if (isShipped(file.path) || options.confirmed.includes(sha256(file.text))) return null;
  const trust = trustIn(file, options.stateDirectory);
  if (trust === "this-text") return null;
  const places = [options.workspace, ...policy.workspace.roots.filter((root) => root.access === "read-write").map((root) => root.path)];
  const isHere = places.some((place) => isWithin(file.path, place));
  const isKnown = !isHere && (readWorkspaces(options.stateDirectory) ?? []).some((place) => isWithin(file.path, place));
  if (trust === "nothing" && !isHere && !isKnown) return null;
  const remedy = `${trust === "another-text" ? "See what it changes, and confirm it" : "Read it, then run"}: warder policy trust ${file.file}`;
  if (trust === "another-text" && !isHere && !isKnown)
    return new AgentError(
      "bad-policy",
      `The policy ${file.file} was confirmed with another text, under this name or another, and nobody has confirmed this text.`,
      { remedy },
    );
  return new AgentError(
    "bad-policy",
    `The policy ${file.file} lies in ${isHere ? "the" : "a"} workspace, where an agent could have written it, and nobody has confirmed this text.`,
    { remedy },
  );
}
