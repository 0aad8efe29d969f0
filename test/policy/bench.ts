import { compilePolicy, type CompileResult, type PolicySource } from "../../src/policy/compiling/compile.ts";
import type { Decision } from "../../src/policy/decision.ts";
import { decide } from "../../src/policy/deciding/evaluate.ts";
import type { Facts, PathFact } from "../../src/policy/facts.ts";
import type { PolicyContext } from "../../src/policy/language/path-expansion.ts";
import type { Policy } from "../../src/policy/policy.ts";
import type { Request } from "../../src/policy/request.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";
import type { CommandAnalysis, Effect, PathOperand, SimpleCommand, Word } from "../../src/shell/model/model.ts";

/** A policy's surroundings in these tests. Nothing of it exists on disk. */
export const CONTEXT: PolicyContext = { workspace: "/home/dev/project", home: "/home/dev", stateDirectory: "/home/dev/.local/state/warder" };

export function compileTexts(texts: readonly string[], context: PolicyContext = CONTEXT): CompileResult {
  const sources: PolicySource[] = texts.map((text, index) => ({ file: index === 0 ? "policy.yaml" : `parent-${index}.yaml`, text }));
  return compilePolicy(sources, context);
}

/** The policy of one or more texts, child first. Throws when they do not compile. */
export function policyOf(...texts: readonly string[]): Policy {
  const result = compileTexts(texts);
  if (result.kind === "refused") throw new Error(result.diagnostics.map(({ at, message }) => `${at.file}:${at.line}:${at.column}: ${message}`).join("\n"));
  return result.policy;
}

/** A policy text with the lines every file needs. */
export function policyText(...lines: readonly string[]): string {
  return ["version: 1", "name: test", ...lines, ""].join("\n");
}

export type FactChanges = Partial<Omit<Facts, "paths">> & {
  /** Facts by path; null: unmeasured. Every other path is an ordinary file at its own path. */
  readonly paths?: Readonly<Record<string, Partial<PathFact> | null>>;
};

/** Facts in which each path that a request names is measured as itself, but for the changes. */
export function factsFor(requests: readonly Request[], changes: FactChanges = {}): Facts {
  const { paths: changed = {}, ...rest } = changes;
  const paths = new Map<string, PathFact>();
  for (const path of requests.flatMap(pathsOf)) {
    const change = changed[path];
    if (change !== null) paths.set(path, { path, real: path, type: "file", links: 1, ...change });
  }
  const touched = requests.flatMap((request) => (request.kind === "server-path" ? [request] : []));
  const served = new Map(
    touched.map(({ path, place }) => {
      const change = changed[path];
      const fact: PathFact = { path, real: path, type: "file", links: 1, ...change };
      return [place.server, new Map(change === null ? [] : [[path, fact] as const])] as const;
    }),
  );
  return {
    served,
    measured: "session",
    containment: "profile",
    nowMs: 0,
    isStopped: false,
    isSandboxReady: true,
    actionsLeft: null,
    asksLeft: null,
    home: CONTEXT.home,
    ownPaths: [CONTEXT.stateDirectory],
    ...rest,
    paths,
  };
}

function pathsOf(request: Request): string[] {
  if (request.kind === "read" || request.kind === "write") return [request.path];
  if (request.kind !== "command") return [];
  return [request.cwd, ...request.analysis.effects.flatMap(({ path }) => (path === undefined ? [] : pathsOfOperand(path)))];
}

function pathsOfOperand(path: PathOperand): string[] {
  return path.kind === "literal" ? [path.path] : path.kind === "pattern" ? [path.directory] : [];
}

export function decideRequest(policy: Policy, request: Request, changes: FactChanges & { readonly tool?: string } = {}): Decision {
  const { tool = "shell", ...facts } = changes;
  return decide(policy, { tool, requests: [request] }, factsFor([request], facts));
}

/** Decides a real command text, analysed as in a run. */
export function decideCommand(policy: Policy, text: string, changes: FactChanges = {}): Decision {
  const analysis = analyseCommand(text, { cwd: CONTEXT.workspace, home: CONTEXT.home });
  return decideRequest(policy, { kind: "command", text, cwd: CONTEXT.workspace, analysis }, changes);
}

const SPAN = { start: 0, end: 0 };

export function literal(value: string): Word {
  return { kind: "literal", value, quoted: false, span: SPAN };
}

/** A simple command of literal words in the workspace, with what the test changes. */
export function simpleCommand(words: string, changes: Partial<SimpleCommand> = {}): SimpleCommand {
  const argv = words.split(" ").map(literal);
  return {
    argv,
    program: words.split(" ")[0] ?? null,
    assignments: [],
    redirections: [],
    stdin: { kind: "inherited" },
    via: [],
    contexts: [],
    cwd: { kind: "known", path: CONTEXT.workspace },
    span: { start: 0, end: words.length },
    ...changes,
  };
}

/** A command request of one simple command with the given effects, built by hand so that the tests do not depend on tables of programs. */
export function commandRequest(simple: SimpleCommand, effects: readonly Partial<Effect>[] = []): Request {
  const text = simple.argv.map((word) => (word.kind === "literal" ? word.value : "?")).join(" ");
  const analysis: CommandAnalysis = {
    text,
    simples: [simple],
    effects: effects.map((effect) => ({ kind: "reads", simple: 0, cause: "a cause", span: SPAN, ...effect })),
    undecidable: [],
    needs: [],
    parse: "ok",
  };
  return { kind: "command", text, cwd: CONTEXT.workspace, analysis };
}

export function deciding(decision: Decision): string {
  return decision.rules[0]?.id ?? "none";
}
