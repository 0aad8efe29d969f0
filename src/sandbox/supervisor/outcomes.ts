import type { ActionResult, Outcome } from "../outcome.ts";
import type { ExecReply } from "./exec.ts";
import type { VerbReply } from "./files.ts";

/** What the host knows beside the reply: whether a lost session was its own doing. */
export type Circumstances = { readonly isCancelled: boolean; readonly timeoutMs: number };

/** What a command's reply means. A session that was ended because its command did not stop counts as that command's time limit. */
export function execOutcome(reply: ExecReply, circumstances: Circumstances): Outcome {
  const { durationMs } = reply;
  if (reply.kind === "not-started") {
    if (reply.stage === "cancelled") return { kind: "cancelled", partial: null, durationMs };
    return { kind: "failed", code: reply.errno === "ENOENT" ? "not-found" : reply.errno === "EACCES" ? "permission" : "io", reason: reply.reason, durationMs };
  }
  const output = { stdout: reply.stdout, stderr: reply.stderr };
  if (reply.kind === "session-lost") return lostOutcome(reply, { kind: "exec", exitCode: null, signal: null, ...output }, circumstances);
  const result: ActionResult = { kind: "exec", exitCode: reply.exitCode, signal: reply.signal, ...output };
  if (reply.cause === "input-limit") return { kind: "failed", code: "io", reason: "It did not read what it was sent.", durationMs };
  return reply.cause === "itself" ? { kind: "completed", result, durationMs } : { kind: reply.cause, partial: result, durationMs };
}

function lostOutcome(reply: { reason: string; durationMs: number }, partial: ActionResult, circumstances: Circumstances): Outcome {
  const { durationMs } = reply;
  if (circumstances.isCancelled) return { kind: "cancelled", partial, durationMs };
  if (durationMs >= circumstances.timeoutMs) return { kind: "timed-out", partial, durationMs };
  return { kind: "failed", code: "session-lost", reason: reply.reason, durationMs };
}

/** What a file verb's reply means; `result` makes the value of one that succeeded. */
export function verbOutcome<Value>(reply: VerbReply<Value>, result: (value: Value) => ActionResult): Outcome {
  const { durationMs } = reply;
  if (reply.kind === "done") return { kind: "completed", result: result(reply.value), durationMs };
  if (reply.code === "timed-out" || reply.code === "cancelled") return { kind: reply.code, partial: null, durationMs };
  return { kind: "failed", code: reply.code, reason: reply.reason, durationMs };
}
