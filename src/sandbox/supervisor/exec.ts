import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import type { BoundedOutput } from "../outcome.ts";
import type { Answer, Call } from "./call.ts";
import { bytes, u32, u8, writeFields } from "./fields.ts";
import { boundOutput, splitBudget } from "./bounded-output.ts";
import { EXEC_HAS_STDIN, EXEC_INPUT_FOLLOWS, EXEC_KILL_AT_LIMIT, MAX_TAIL_BYTES, MAX_TIMEOUT_MS, REQUEST, type Cause, type Stage } from "./protocol.ts";

export type ExecRequest = {
  /** The program (looked for in the PATH of `env` unless it has a slash) and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Kept of each stream, half from its start and half from its end (of which at most 4 MiB). */
  readonly outputBytes: number;
  /** `nothing`: the first GiB of each stream is passed on as it arrives and is not in the reply; `outputBytes` says nothing then. */
  readonly keeps?: "nothing";
  /** `drain` (default): what is too much is dropped and counted. `kill`: it ends the command. */
  readonly onLimit?: "drain" | "kill";
  /** At most 10 MiB; absent: `/dev/null`. */
  readonly stdin?: Uint8Array;
};

export type ExecReply =
  | {
      readonly kind: "ended";
      /** Why it ended; with anything but `itself` the supervisor killed it. */
      readonly cause: Cause;
      /** Null when a signal ended it. */
      readonly exitCode: number | null;
      /** `SIGKILL` and so on; null when it exited. */
      readonly signal: string | null;
      readonly stdout: BoundedOutput;
      readonly stderr: BoundedOutput;
      /** Other processes that the command left behind and that were killed. */
      readonly orphans: number;
      readonly durationMs: number;
    }
  /** Nothing ran. `stage` says where it failed, `errno` is a name such as `ENOENT`. */
  | { readonly kind: "not-started"; readonly stage: Stage | "cancelled"; readonly errno: string | null; readonly reason: string; readonly durationMs: number }
  /** The session is gone; what had arrived is there. */
  | { readonly kind: "session-lost"; readonly reason: string; readonly stdout: BoundedOutput; readonly stderr: BoundedOutput; readonly durationMs: number };

/** The wire form of a command, or the reason why it has none. */
export function execCall(request: ExecRequest, onBytes?: Call["onBytes"], onInput?: Call["onInput"]): Call | { readonly refused: string } {
  const env = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const refused = refusalOf(request, env);
  if (refused !== null) return { refused };
  const isKept = request.keeps !== "nothing";
  const { headBytes, tailBytes } = isKept ? splitBudget(request.outputBytes, MAX_TAIL_BYTES) : { headBytes: MAX_HEAD_BYTES, tailBytes: 0 };
  const flags = (request.onLimit === "kill" ? EXEC_KILL_AT_LIMIT : 0) | inputFlags(request, onInput !== undefined);
  const head = [u32(request.timeoutMs), u8(flags), u32(headBytes), u32(tailBytes), bytes(request.cwd)];
  const argv = [u32(request.argv.length), ...request.argv.map(bytes)];
  const payload = writeFields([...head, ...argv, u32(env.length), ...env.map(bytes), bytes(request.stdin ?? new Uint8Array(0))]);
  return {
    type: REQUEST.exec,
    payload,
    timeoutMs: request.timeoutMs,
    headBytes,
    tailBytes,
    isKept,
    ...(onBytes === undefined ? {} : { onBytes }),
    ...(onInput === undefined ? {} : { onInput }),
  };
}

function inputFlags({ stdin }: ExecRequest, isFed: boolean): number {
  return (stdin === undefined && !isFed ? 0 : EXEC_HAS_STDIN) | (isFed ? EXEC_INPUT_FOLLOWS : 0);
}

const MAX_HEAD_BYTES = 2 ** 30;
const MAX_STDIN_BYTES = 10 * 1024 * 1024;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

function refusalOf(request: ExecRequest, env: readonly string[]): string | null {
  const texts = [...request.argv, ...env, request.cwd];
  if (request.argv.length === 0 || request.argv.length > 65_536 || env.length > 4096) return "A command has 1 to 65,536 words and at most 4,096 variables.";
  if (texts.some((text) => text.includes("\0") || !text.isWellFormed())) return "A word, a variable or the directory contains NUL or is not Unicode.";
  if (texts.reduce((total, text) => total + Buffer.byteLength(text), 0) > MAX_TEXT_BYTES) return "The command is too long.";
  if (Object.keys(request.env).some((name) => name === "" || name.includes("="))) return "The name of a variable is empty or contains '='.";
  if (!request.cwd.startsWith("/")) return "The directory is not absolute.";
  if (!isWithin(request.timeoutMs, 1, MAX_TIMEOUT_MS)) return "The time limit is not between 1 ms and a day.";
  if (!isWithin(request.outputBytes, 0, MAX_HEAD_BYTES)) return "The output limit is not between 0 and 1 GiB.";
  if ((request.stdin?.byteLength ?? 0) > MAX_STDIN_BYTES) return "The input is longer than 10 MiB.";
  return null;
}

const isWithin = (value: number, low: number, high: number): boolean => Number.isInteger(value) && value >= low && value <= high;

/** What an answer means for a command. */
export function execReply(answer: Answer, cwd: string): ExecReply {
  const { durationMs } = answer;
  if (answer.kind === "cancelled-before-start")
    return { kind: "not-started", stage: "cancelled", errno: null, reason: "It was cancelled before it started.", durationMs };
  const output = { stdout: boundOutput(answer.stdout), stderr: boundOutput(answer.stderr) };
  if (answer.kind === "lost") return { kind: "session-lost", reason: answer.reason, ...output, durationMs };
  const { ending, cause, orphans } = answer;
  if (ending.kind === "not-started") {
    const errno = ending.errno === 0 ? null : getSystemErrorName(-ending.errno);
    return { kind: "not-started", stage: ending.stage, errno, reason: `${STAGE_TEXT[ending.stage](cwd)}${errno === null ? "." : `: ${errno}.`}`, durationMs };
  }
  const exitCode = ending.kind === "exited" ? ending.exitCode : null;
  const signal = ending.kind === "signalled" ? signalName(ending.signal) : null;
  return { kind: "ended", cause, exitCode, signal, ...output, orphans, durationMs };
}

const STAGE_TEXT: Record<Stage, (cwd: string) => string> = {
  none: () => "It did not start",
  "bad-request": () => "The supervisor could not read the request",
  busy: () => "Another call is under way",
  fork: () => "No process could be made",
  cwd: (cwd) => `The directory ${cwd} cannot be entered`,
  program: () => "The program cannot be executed",
  identity: () => "The unprivileged user could not be taken on",
};

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}
