import type { StreamName } from "../runtime.ts";
import { FieldError, readFields } from "./fields.ts";
import type { Frame } from "./frames.ts";
import type { CapturedStream } from "./bounded-output.ts";
import { CAUSES, REPLY, STAGES, type Cause, type Stage } from "./protocol.ts";

/** One request on its way: the wire form, its time limit, and how much of each stream may come back. */
export type Call = {
  readonly type: number;
  readonly payload: Uint8Array;
  readonly timeoutMs: number;
  readonly headBytes: number;
  readonly tailBytes: number;
  /** Whether what arrives is in the answer; where not, it is only passed on. Absent: it is. */
  readonly isKept?: boolean;
  /** Head bytes as they arrive. A promise holds up what comes after them. */
  readonly onBytes?: (stream: StreamName, data: Uint8Array) => unknown;
  /** Given, as the call goes out, what feeds it; see `ExecOptions`. */
  readonly onInput?: (feed: Feed) => void;
};

/** Sends further bytes to the standard input of a command; none: its end. Once the call has ended it does nothing. */
export type Feed = (bytes: Uint8Array) => void;

export type Ending =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signalled"; readonly signal: number }
  | { readonly kind: "not-started"; readonly stage: Stage; readonly errno: number };

type Captured = { readonly stdout: CapturedStream; readonly stderr: CapturedStream; readonly durationMs: number };

export type Answer =
  | (Captured & {
      readonly kind: "exit";
      readonly ending: Ending;
      readonly cause: Cause;
      /** Other processes that were left and killed. */ readonly orphans: number;
    })
  | (Captured & { readonly kind: "cancelled-before-start" })
  | (Captured & { readonly kind: "lost"; readonly reason: string });

export type CallAnswer = {
  /** One frame of this call; the answer once it is complete. Throws FieldError for a malformed one. */
  take(frame: Frame): Answer | null;
  lost(reason: string): Answer;
  cancelledBeforeStart(): Answer;
};

type Store = { head: Uint8Array[]; headBytes: number; tail: Uint8Array[]; tailBytes: number };

/** Collects the frames that answer one call. `hold`: no more is to be read until the promise is settled. */
export function callAnswer(call: Call, hold: (taken: Promise<unknown>) => void = () => undefined): CallAnswer {
  const startedMs = performance.now();
  const stores: Record<StreamName, Store> = { stdout: emptyStore(), stderr: emptyStore() };
  const sinceStartMs = (): number => performance.now() - startedMs;
  const partial = (): Captured => ({ stdout: capture(stores.stdout), stderr: capture(stores.stderr), durationMs: sinceStartMs() });

  function takeOutput(payload: Uint8Array): null {
    const fields = readFields(payload);
    const stream = fields.u8();
    const data = fields.rest();
    if (stream < 1 || stream > 4) throw new FieldError(`There is no stream ${stream}.`);
    // None of these counts against a bound: without end they would fill the memory.
    if (data.byteLength === 0) throw new FieldError("An output frame holds nothing.");
    const name: StreamName = stream % 2 === 1 ? "stdout" : "stderr";
    const store = stores[name];
    if (stream <= 2) {
      if (call.isKept !== false) store.head.push(data);
      store.headBytes += data.byteLength;
      if (store.headBytes > call.headBytes) throw new FieldError("More output came than was asked for.");
      const taken = call.onBytes?.(name, data);
      if (taken instanceof Promise) hold(taken);
    } else {
      store.tail.push(data);
      store.tailBytes += data.byteLength;
      if (store.tailBytes > call.tailBytes) throw new FieldError("More output came than was asked for.");
    }
    return null;
  }

  function takeExit(payload: Uint8Array): Answer {
    const fields = readFields(payload);
    const kind = fields.u8();
    const cause = CAUSES[fields.u8()];
    const code = fields.u32();
    const stage = STAGES[fields.u8()];
    const totals = { stdout: fields.u64(), stderr: fields.u64() };
    const orphans = fields.u32();
    const durationMs = fields.u64() / 1000;
    fields.end();
    if (cause === undefined || stage === undefined) throw new FieldError("An exit frame has an unknown cause or stage.");
    const stdout = capture(stores.stdout, totals.stdout);
    const stderr = capture(stores.stderr, totals.stderr);
    return { kind: "exit", ending: endingOf(kind, code, stage), cause, orphans, durationMs, stdout, stderr };
  }

  return {
    take: (frame) => {
      if (frame.type === REPLY.output) return takeOutput(frame.payload);
      if (frame.type === REPLY.exit) return takeExit(frame.payload);
      throw new FieldError(`A call is not answered by a frame of type ${frame.type}.`);
    },
    lost: (reason) => ({ kind: "lost", reason, ...partial() }),
    cancelledBeforeStart: () => ({ kind: "cancelled-before-start", ...partial() }),
  };
}

const emptyStore = (): Store => ({ head: [], headBytes: 0, tail: [], tailBytes: 0 });

/** Without a total (the session was lost) what arrived counts as all. */
function capture(store: Store, totalBytes: number = store.headBytes + store.tailBytes): CapturedStream {
  if (totalBytes < store.headBytes + store.tailBytes) throw new FieldError("More output came than was counted.");
  return { head: store.head, tail: store.tail, totalBytes };
}

function endingOf(kind: number, code: number, stage: Stage): Ending {
  if (kind === 1) return { kind: "exited", exitCode: code };
  if (kind === 2) return { kind: "signalled", signal: code };
  if (kind === 3) return { kind: "not-started", stage, errno: code };
  throw new FieldError(`There is no ending ${kind}.`);
}
