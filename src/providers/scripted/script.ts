import { AgentError } from "../../base/errors.ts";
import { scriptSchema } from "./schema.ts";

export type Protocol = "anthropic" | "openai";

/** `inputText` is what goes over the wire: JSON, unless the script wants it broken. */
export type ScriptedCall = { readonly tool: string; readonly inputText: string };

export type ScriptedTurn = {
  /** `FILE:LINE, turn N`, for messages. */
  readonly place: string;
  readonly contains: readonly string[];
  readonly excludes: readonly string[];
  readonly say: string;
  readonly calls: readonly ScriptedCall[];
};

export type Script = { readonly file: string; readonly protocol: Protocol; readonly turns: readonly ScriptedTurn[]; readonly agents: readonly ScriptedAgent[] };

/** What is said where these words stand in the task. */
type ScriptedAgent = { readonly task: string; readonly turns: readonly ScriptedTurn[] };

/** The line (1-based) where the value at a path of keys stands, if it is known. */
export type LineFinder = (path: readonly (string | number)[]) => number | undefined;

/** A script from the plain data of its file. Throws `bad-configuration` with file, line and every problem. */
export function parseScript(value: unknown, file: string, lineOf: LineFinder = () => undefined): Script {
  const parsed = scriptSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
      return `${placeOf(file, lineOf(path))}: ${path.join(".") || "the script"}: ${issue.message}`;
    });
    throw new AgentError("bad-configuration", `The script is not well formed.\n${problems.join("\n")}`);
  }
  const turnsOf = (turns: typeof parsed.data.turns, at: readonly (string | number)[]): readonly ScriptedTurn[] =>
    turns.map((turn, index) => ({
      place: `${placeOf(file, lineOf([...at, "turns", index]))}, turn ${index + 1}`,
      contains: toList(turn.when?.["result-contains"]),
      excludes: toList(turn.when?.["result-excludes"]),
      say: turn.say ?? "",
      calls: (turn.calls ?? []).map((call) => ({ tool: call.tool, inputText: call["raw-input"] ?? JSON.stringify(call.input ?? {}) })),
    }));
  const { protocol, turns, agents = [] } = parsed.data;
  return {
    file,
    protocol,
    turns: turnsOf(turns, []),
    agents: agents.map((agent, index) => ({ task: agent["task-contains"], turns: turnsOf(agent.turns, ["agents", index]) })),
  };
}

function placeOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

function toList(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
