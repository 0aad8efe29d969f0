import type { CommandHook, HookPoint } from "../../policy/hook.ts";
import type { ActionResult, Outcome } from "../../sandbox/outcome.ts";

const BLOCKED = 2;
/** What a shell says of a program that it could not run, and of one that a signal ended. */
const FIRST_FAULT = 126;
const MAX_WORDS = 2000;

type Said = { readonly outcome: Outcome; /** Takes secrets out. */ readonly redact: (text: string) => string };

/** What a hook's command said, as its function would have said it; the caller holds it to what can be said at the point. Throws for one that failed. */
export function readAnswer(hook: CommandHook, point: HookPoint, { outcome, redact }: Said): unknown {
  const { exitCode, stdout, stderr } = endOf(outcome, hook);
  const complaint = redact(stderr.text.trim()).slice(0, MAX_WORDS);
  if (exitCode === 0) return redacted(parse(stdout.text), redact);
  if (exitCode === BLOCKED) return blockAt(point, complaint || hook.because, hook.id);
  const end = `it ended with exit code ${String(exitCode)}${complaint === "" ? "" : `: ${complaint}`}`;
  if (exitCode >= FIRST_FAULT || point === "before-tool" || point === "ask") throw new Error(end);
  return { warn: end.slice(0, MAX_WORDS) };
}

function endOf(outcome: Outcome, { timeoutMs }: CommandHook): Extract<ActionResult, { kind: "exec" }> & { readonly exitCode: number } {
  if (outcome.kind === "timed-out") throw new Error(`it was not done within ${String(timeoutMs)} ms`);
  if (outcome.kind === "output-limit") throw new Error("it wrote more than 10 KiB");
  if (outcome.kind === "cancelled") throw new Error("the run was cancelled");
  if (outcome.kind !== "completed") throw new Error(outcome.reason);
  const { result } = outcome;
  if (result.kind !== "exec") throw new Error("it gave no end of a command");
  if (result.exitCode === null) throw new Error(`it was ended by ${result.signal ?? "a signal"}`);
  return { ...result, exitCode: result.exitCode };
}

/** Nothing, or one JSON value. Bytes that are no UTF-8 arrive as U+FFFD. */
function parse(text: string): unknown {
  if (text.includes("\uFFFD")) throw new Error("what it wrote is no UTF-8");
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error("what it wrote is no JSON", { cause: error });
    throw error;
  }
}

/** After parsing, because an escape in JSON could hide what is to be taken out. */
function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((entry) => redacted(entry, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [redact(key), redacted(entry, redact)]));
}

function blockAt(point: HookPoint, reason: string, name: string): unknown {
  if (point === "after-tool" || point === "tool-failure") return { text: `Withheld by hook ${name}: ${reason}`, isError: true };
  if (point === "stop") return { continue: reason };
  return point === "park" ? { warn: reason } : { block: reason };
}
