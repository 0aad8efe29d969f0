import type { Verdict } from "../../policy/decision.ts";

/** What the log records of hooks: of Warder's own around its calls, and of other agents' that ask Warder. */
export type HookPayload =
  /** What a hook did to a call: `blocked` it, `failed` (which blocks it, or withholds its result), `rewrote` its arguments, `changed` its result, or only `warned`. */
  | {
      readonly kind: "hook";
      readonly call: string;
      readonly tool: string;
      readonly hook: string;
      readonly did: "blocked" | "failed" | "rewrote" | "changed" | "warned";
      readonly detail: string;
    }
  /** How one command of a hook ended. `call`: null, it concerned none. `cached`: what it had said before counted, and nothing ran. */
  | {
      readonly kind: "hook-command";
      readonly hook: string;
      readonly point: string;
      readonly call: string | null;
      readonly outcome: string;
      readonly exitCode: number | null;
      readonly durationMs: number;
      readonly cached: boolean;
    }
  /** What a hook did at a turning point of a run: it `blocked` its start or a person's words, `failed`, `warned`, or had it go on (`continued`). */
  | {
      readonly kind: "run-hook";
      readonly hook: string;
      readonly point: "run-start" | "prompt" | "stop" | "park";
      readonly did: "blocked" | "failed" | "warned" | "continued";
      readonly detail: string;
    }
  /** Another agent's session, whose calls are judged through its hook. */
  | { readonly kind: "hook-session"; readonly agent: string; readonly session: string; readonly workspace: string; readonly policy: string }
  /** What another agent was told of its call. `isShadow`: what it would have been told; it decided by itself. */
  | { readonly kind: "hook-answered"; readonly call: string; readonly answer: Verdict; readonly isShadow: boolean };
