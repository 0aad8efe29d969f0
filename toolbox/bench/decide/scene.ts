import { loadPolicy } from "../../../src/config/policy/load.ts";
import { explain } from "../../../src/cli/view/explanation/explanation.ts";
import { explanationText } from "../../../src/cli/view/explanation/text.ts";
import { measuredPaths } from "../../../src/gate/facts/needed-facts.ts";
import type { Decision } from "../../../src/policy/decision.ts";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import type { Facts, PathFact } from "../../../src/policy/facts.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import type { CallRequest } from "../../../src/policy/request.ts";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import type { CommandAnalysis } from "../../../src/shell/model/model.ts";

const WORKSPACE = "/home/dev/project";
const HOME = "/home/dev";
const STATE = "/home/dev/.local/state/warder";
const TEXTS: ReadonlyMap<string, string | null> = new Map([
  [`${WORKSPACE}/package.json`, JSON.stringify({ scripts: { test: "vitest run", build: "tsc -p .", lint: "eslint src", typecheck: "tsc --noEmit" } })],
  [`${WORKSPACE}/Makefile`, "all: build\nbuild:\n\tcc -o app main.c\ntest: build\n\t./app --check\n"],
]);

/** A decision about a command text from its first character on, with the facts that were measured before. */
export type Scene = {
  analyse(text: string): CommandAnalysis;
  /** Measures the paths of a text, as if each were an ordinary file: the one thing a decision does that is not timed. */
  prepare(text: string): void;
  /** Parse, analyse, decide. */
  decide(text: string): Decision;
  /** The same, and the explanation for a person. */
  explain(text: string): string;
};

/** The policy is one that is shipped, as it is read from its file. */
export function createScene(policyName: string): Scene {
  const { policy } = loadPolicy(policyName, { workspace: WORKSPACE, home: HOME, stateDirectory: STATE });
  const paths = new Map<string, PathFact>();
  const facts: Facts = {
    measured: "session",
    containment: "profile",
    nowMs: 0,
    isStopped: false,
    isSandboxReady: true,
    actionsLeft: 100,
    asksLeft: 100,
    paths,
    home: HOME,
    ownPaths: [STATE],
  };
  const context = { cwd: WORKSPACE, home: HOME, texts: TEXTS };
  const analyse = (text: string): CommandAnalysis => analyseCommand(text, context);
  const judged = (text: string): { readonly call: CallRequest; readonly decision: Decision } => {
    const call: CallRequest = { tool: "shell", requests: [{ kind: "command", text, cwd: WORKSPACE, analysis: analyse(text) }] };
    return { call, decision: decide(policy, call, facts) };
  };
  return {
    analyse,
    prepare: (text) => measure(policy, { kind: "command", text, cwd: WORKSPACE, analysis: analyse(text) }, paths),
    decide: (text) => judged(text).decision,
    explain: (text) => explanationText(explain(text, judged(text))),
  };
}

function measure(policy: Policy, request: CallRequest["requests"][number], paths: Map<string, PathFact>): void {
  const roots = policy.workspace.roots.map((root) => root.path);
  for (const path of measuredPaths([request], roots)) paths.set(path, { path, real: path, type: roots.includes(path) ? "directory" : "file", links: 1 });
}
