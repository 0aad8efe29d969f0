import type { CallEnd, CallOptions, RunToolCall, ToolCall } from "../../gate/gate.ts";
import { CANCELLED, orCancelled, waitFor } from "../../providers/contract/cancellation.ts";
import { ownWords } from "./result-text.ts";

/** How long a call that was cancelled may take to end; then it is answered without waiting for it. */
const CANCEL_GRACE_MS = 5000;
const GAVE_UP: CallEnd = { kind: "cancelled", ruling: null, result: ownWords("Cancelled. It did not end in time, so what it did until then is unknown.") };

/** `fault`: what the gate threw, which must end the run once every sibling is answered. */
export type Performed = { readonly kind: "ended"; readonly end: CallEnd } | { readonly kind: "fault"; readonly error: unknown };

/** Carries one call through the gate. A cancelled one is waited for five seconds. */
export async function performOne(runToolCall: RunToolCall, call: ToolCall, options: CallOptions): Promise<Performed> {
  try {
    const running = runToolCall(call, options);
    const first = await orCancelled(running, options.signal);
    if (first !== CANCELLED) return { kind: "ended", end: first };
    const isEnded = new AbortController();
    const giveUp = waitFor(CANCEL_GRACE_MS, isEnded.signal).then((waited) => (waited === CANCELLED ? running : GAVE_UP));
    return { kind: "ended", end: await Promise.race([running, giveUp]).finally(() => isEnded.abort()) };
  } catch (error) {
    // Kept until every sibling is answered; the caller throws it again or ends the run with it.
    return { kind: "fault", error };
  }
}
