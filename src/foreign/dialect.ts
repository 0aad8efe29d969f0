import type { Verdict } from "../policy/decision.ts";
import type { Arguments, Meaning } from "./meaning.ts";

/** What an agent tells its hook, as far as it matters here. */
export type HookEvent =
  | {
      readonly kind: "call";
      /** The agent's own name of its session. */
      readonly session: string;
      /** Null: the agent gives calls no name. */
      readonly callId: string | null;
      /** Absolute; where the agent is now. */
      readonly cwd: string;
      /** The tool's name as the agent has it. */
      readonly name: string;
      readonly input: Arguments;
      readonly meaning: Meaning;
      /** Whether an ask of ours is put to the agent's person, or else ends as a denial, whatever mode the agent is in. */
      readonly canAsk: boolean;
    }
  /** An event that decides nothing. */
  | { readonly kind: "nothing" }
  | { readonly kind: "unreadable"; readonly problem: string };

/** What is answered. `reason`: for the agent's model, and for its person where it asks. */
export type HookAnswer = { readonly verdict: Verdict; readonly reason: string };

/** How the agent is told. */
export type Said = { readonly stdout: string; readonly stderr: string; readonly exitCode: number };

/** One agent's way to speak with its hooks. Pure. The facts are those of its documentation and of the agent itself: docs/agents. */
export type Dialect = {
  /** Its own name, as people know it. */
  readonly title: string;
  /** Whether an event that nothing else is known of is of this agent. */
  readonly owns: (event: Arguments) => boolean;
  readonly read: (event: Arguments, home: string) => HookEvent;
  /** `event`: the name of the event that is answered. */
  readonly answer: (answer: HookAnswer, event: Arguments) => Said;
  /** No opinion: the agent goes on as without a hook. */
  readonly silence: Said;
};

export const SILENCE: Said = { stdout: "", stderr: "", exitCode: 0 };

/** What blocks in every agent that reads an exit code, whatever it makes of the text. */
export const BLOCK = 2;

export function textOf(event: Arguments, key: string): string | null {
  const value = event[key];
  return typeof value === "string" && value !== "" ? value : null;
}

export function argumentsOf(value: unknown): Arguments | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Arguments) : null;
}

export function unreadable(what: string): HookEvent {
  return { kind: "unreadable", problem: `The event cannot be read: ${what}.` };
}

/** Arguments, which some agents send as JSON in a text. */
export function parsedArguments(value: unknown): Arguments | null {
  if (typeof value !== "string") return argumentsOf(value);
  try {
    return argumentsOf(JSON.parse(value));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
