import { analyseCommand } from "../../shell/analyse.ts";
import type { CommandAnalysis } from "../../shell/model/model.ts";
import type { Decision } from "../decision.ts";
import { decide } from "../deciding/evaluate.ts";
import type { Facts, PathFact } from "../facts.ts";
import { hasSideEffect } from "../deciding/risk.ts";
import { type Sight, supposedLabels } from "../label.ts";
import { isWithin } from "../matching/paths.ts";
import type { Policy } from "../policy.ts";
import type { CallRequest, Request } from "../request.ts";

/** One call that both policies are asked about. */
export type Wanted =
  | { readonly kind: "command"; readonly text: string }
  /** `path`: absolute, or in the workspace. */
  | { readonly kind: "read" | "write"; readonly path: string; readonly isRecursive?: true }
  | { readonly kind: "connect"; readonly host: string; readonly port: number }
  /** `tool`: a call that asks for nothing else; `invoke`: one of somebody else's tool. */
  | { readonly kind: "invoke" | "tool"; readonly tool: string }
  | { readonly kind: "remember" | "message" | "schedule" };

/** On what else a decision rests. */
export type Circumstances = {
  /** `profile`: as a run decides it; `none`: as `warder hook` does. */
  readonly containment: "profile" | "none";
  readonly seen: readonly Sight[];
  readonly nowMs: number;
  /** It is a moment for its hour, and no day. */
  readonly isOfHours?: true;
  /** Every file that a pattern of keys names holds nothing but public parts. */
  readonly isPublic?: true;
  /** How often rules with a limit were used before, by their ids; absent: none was. */
  readonly uses?: Readonly<Record<string, number>>;
  /** No path could be measured. */
  readonly isUnmeasured?: true;
};

export type Places = { readonly workspace: string; readonly home: string };

/** The tool that a call is one of. */
function toolOf(wanted: Wanted): string {
  switch (wanted.kind) {
    case "command":
    case "connect":
      return "shell";
    case "read":
      return "read_file";
    case "write":
      return "write_file";
    case "invoke":
    case "tool":
      return wanted.tool;
    case "remember":
      return "memory_store";
    case "message":
      return "plan_done";
    case "schedule":
      return "schedule";
  }
}

function requestsOf(wanted: Wanted, places: Places): readonly Request[] {
  switch (wanted.kind) {
    case "command":
      return [{ kind: "command", text: wanted.text, cwd: places.workspace, analysis: analysisOf(wanted.text, places) }];
    case "read":
      return [{ kind: "read", path: absolute(wanted.path, places), isRecursive: wanted.isRecursive === true }];
    case "write":
      return [{ kind: "write", path: absolute(wanted.path, places) }];
    case "connect":
      return [{ kind: "connect", host: wanted.host, port: wanted.port }];
    case "invoke":
      return [{ kind: "invoke", tool: wanted.tool }];
    case "remember":
      return [{ kind: "remember" }];
    case "message":
      return [{ kind: "message" }];
    case "schedule":
      return [{ kind: "schedule", name: "job" }];
    case "tool":
      return [];
  }
}

function absolute(path: string, { workspace }: Places): string {
  return path.startsWith("/") ? path : `${workspace}/${path}`;
}

/** Whatever text it is asked for, there is none: the workspace is empty. */
class NoTexts extends Map<string, string | null> {
  override get(): null {
    return null;
  }
  override has(): boolean {
    return true;
  }
}

/** What a command does in an empty workspace, where nothing of what the files alone can tell is so. */
function analysisOf(text: string, { workspace, home }: Places): CommandAnalysis {
  const analysis = analyseCommand(text, { cwd: workspace, home, texts: new NoTexts() });
  const conditions = new Set(analysis.effects.flatMap(({ through }) => through ?? []));
  if (conditions.size === 0) return analysis;
  return { ...analysis, effects: analysis.effects.filter(({ through }) => through === undefined), without: [...conditions] };
}

/**
 * Whether a command of these very words has a side effect, whatever stands in its files and wherever it runs. What needs a condition does not count, nor what has a
 * path, which may be a device's.
 */
export function alwaysHasSideEffect(text: string, places: Places): boolean {
  const { effects, without } = analysisOf(text, places);
  return without === undefined && effects.some(({ kind, path, simple }) => simple === 0 && path === undefined && hasSideEffect(kind));
}

/** Every path is as it is written; there are no files, and no directories but the roots and what is above them. */
class AsWritten extends Map<string, PathFact> {
  readonly #roots: readonly string[];

  constructor(roots: readonly string[]) {
    super();
    this.#roots = roots;
  }

  override get(path: string): PathFact {
    const isDirectory = this.#roots.some((root) => isWithin(root, path));
    return { path, real: path, type: isDirectory ? "directory" : "missing", links: 1 };
  }
}

const NOTHING: Facts["paths"] = new Map();

/** A rule that is not named was never used. */
class UsedBefore extends Map<string, number> {
  override get(id: string): number {
    return super.get(id) ?? 0;
  }
}

class Everything extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/** Decides calls by two policies in the same circumstances. Analyses each command once. */
export class Deciders {
  readonly #places: Places;
  readonly #policies: readonly [Policy, Policy];
  readonly #paths: Facts["paths"];
  readonly #calls = new Map<string, CallRequest>();

  constructor(before: Policy, after: Policy, places: Places) {
    this.#places = places;
    // The files that a policy stands in are closed to writes by its own name for them, which is no part of what it says.
    this.#policies = [withoutFiles(before), withoutFiles(after)];
    this.#paths = new AsWritten([places.workspace, places.home, ...[before, after].flatMap(({ workspace }) => workspace.roots.map(({ path }) => path))]);
  }

  decide(wanted: Wanted, circumstances: Circumstances): readonly [Decision, Decision] {
    const call = this.#callOf(wanted);
    const facts = this.#factsOf(circumstances);
    return [decide(this.#policies[0], call, facts), decide(this.#policies[1], call, facts)];
  }

  #callOf(wanted: Wanted): CallRequest {
    const key = wantedKey(wanted);
    const known = this.#calls.get(key);
    if (known !== undefined) return known;
    const call = { tool: toolOf(wanted), requests: requestsOf(wanted, this.#places) };
    this.#calls.set(key, call);
    return call;
  }

  #factsOf({ containment, seen, nowMs, isPublic, isUnmeasured, uses }: Circumstances): Facts {
    return {
      measured: "host",
      containment,
      nowMs,
      isStopped: false,
      isSandboxReady: true,
      actionsLeft: null,
      asksLeft: null,
      paths: isUnmeasured === true ? NOTHING : this.#paths,
      ...(isPublic === true ? { publicOnly: new Everything() } : {}),
      labels: supposedLabels(seen),
      ...(uses === undefined ? {} : { uses: new UsedBefore(Object.entries(uses)) }),
      home: this.#places.home,
      ownPaths: [],
    };
  }
}

function withoutFiles(policy: Policy): Policy {
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(policy), files: { value: [], enumerable: true } }) as Policy;
}

function wantedKey(wanted: Wanted): string {
  return JSON.stringify(wanted);
}
