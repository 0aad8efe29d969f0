import type { Readable, Writable } from "node:stream";
import { FieldError, readFields } from "./fields.ts";
import { createFrameParser, encodeFrame, type Frame } from "./frames.ts";
import { openHeartbeat, type Heartbeat } from "./heartbeat.ts";
import { FEATURE_EXEC, FEATURE_FILES, FEATURE_PROBE, FEATURE_SEARCH, PROTOCOL_VERSION, REPLY, REQUEST } from "./protocol.ts";
import { createBackpressure } from "./backpressure.ts";
import { callAnswer, type Answer, type Call, type CallAnswer } from "./call.ts";

/** The two ends of a supervisor's standard streams; its stdout must be demultiplexed already. */
export type SupervisorStream = { readonly readable: Readable; readonly writable: Writable };

export type ConnectOptions = {
  /** How long to wait for the hello frame. */
  readonly helloTimeoutMs?: number;
  /** How long after a call's own time limit its answer is waited for; then the session counts as lost. */
  readonly graceMs?: number;
  /** Called once, when the session ends otherwise than by `close`. The sandbox must then be torn down by its owner. */
  readonly onLost?: (reason: string) => void;
};

export type Hello = { readonly uid: number; readonly gid: number; readonly longestFrame: number; readonly heartbeatMs: number; readonly features: number };

export type Connection = {
  readonly hello: Hello;
  /** Performs one call after those before it. Never rejects. */
  call(call: Call, signal?: AbortSignal): Promise<Answer>;
  /** Whether the supervisor is frozen now, and so answers nothing. */
  expectSilence(isExpected: boolean): void;
  /** Ends the stream: the supervisor then kills everything and exits. Pending calls end as lost. Idempotent. */
  close(): void;
};

type Pending = { readonly id: number; readonly answer: CallAnswer; readonly settle: (answer: Answer) => void };

/** Waits for the hello frame. Rejects with a plain Error that says what came instead. */
export function openConnection(stream: SupervisorStream, options: ConnectOptions): Promise<Connection> {
  const graceMs = options.graceMs ?? 15_000;
  const parser = createFrameParser();
  let lost: string | null = null;
  let nextId = 1;
  let active: Pending | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  let heartbeat: Heartbeat | null = null;
  const greeting = Promise.withResolvers<Hello>();
  const helloTimer = setTimeout(
    onceRead(() => heartbeat === null && lose("The supervisor did not say hello in time.")),
    options.helloTimeoutMs ?? 10_000,
  );

  function lose(reason: string, isWanted = false): void {
    if (lost !== null) return;
    lost = reason;
    clearTimeout(helloTimer);
    heartbeat?.stop();
    greeting.reject(new Error(reason));
    active?.settle(active.answer.lost(reason));
    active = null;
    stream.writable.destroy();
    stream.readable.destroy();
    if (!isWanted && heartbeat !== null) options.onLost?.(reason);
  }

  /** While nothing is read the supervisor's queue fills, and it reads no more of what the command writes. */
  function holdUp(isHeld: boolean): void {
    if (lost !== null) return;
    heartbeat?.expectSilence("held", isHeld);
    if (isHeld) stream.readable.pause();
    else stream.readable.resume();
  }

  function send(type: number, id: number, payload: Uint8Array = new Uint8Array(0)): void {
    if (lost === null) stream.writable.write(encodeFrame({ type, id, payload }));
  }

  function receive(frame: Frame): void {
    if (heartbeat === null) {
      if (frame.type !== REPLY.hello) throw new FieldError("The first frame is not hello.");
      const hello = readHello(frame.payload);
      clearTimeout(helloTimer);
      heartbeat = openHeartbeat(hello.heartbeatMs, () => send(REQUEST.ping, 0), lose);
      greeting.resolve(hello);
    } else if (frame.type === REPLY.pong) {
      heartbeat.answered();
    } else if (frame.type === REPLY.fault) {
      const fields = readFields(frame.payload);
      lose(`The supervisor ended with fault ${fields.u8()}: ${new TextDecoder().decode(fields.rest())}`);
    } else if (active !== null && frame.id === active.id) {
      const answer = active.answer.take(frame);
      if (answer !== null) active.settle(answer);
    } else {
      throw new FieldError(`A frame of type ${frame.type} belongs to no call.`);
    }
  }

  stream.readable.on("data", (data: Uint8Array) => {
    const step = parser.push(data);
    try {
      for (const frame of step.frames) if (lost === null) receive(frame);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      lose(`The supervisor sent a malformed frame. ${error.message}`);
    }
    if (step.error !== null) lose(`The supervisor sent a malformed frame. ${step.error}`);
  });
  for (const end of ["end", "close"] as const) stream.readable.on(end, () => lose("The connection to the supervisor ended."));
  for (const side of [stream.readable, stream.writable]) side.on("error", (error) => lose(`The connection to the supervisor failed: ${error.message}`));

  function perform(call: Call, signal: AbortSignal | undefined): Promise<Answer> {
    const backpressure = createBackpressure(call.timeoutMs, holdUp);
    const answer = callAnswer(call, backpressure.hold);
    if (lost !== null) return Promise.resolve(answer.lost(lost));
    if (signal?.aborted === true) return Promise.resolve(answer.cancelledBeforeStart());
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const id = nextId;
    nextId += 1;
    const tooLate = onceRead(() => active?.id === id && lose("The supervisor did not answer within a call's time limit."));
    let timer = setTimeout(tooLate, call.timeoutMs + graceMs);
    const cancel = (): void => {
      backpressure.release();
      send(REQUEST.cancel, id);
      clearTimeout(timer);
      timer = setTimeout(tooLate, graceMs);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const settle = (value: Answer): void => {
      clearTimeout(timer);
      backpressure.release();
      signal?.removeEventListener("abort", cancel);
      active = null;
      resolve(value);
    };
    active = { id, answer, settle };
    send(call.type, id, call.payload);
    call.onInput?.((bytes) => {
      if (active?.id === id) send(REQUEST.input, id, bytes);
    });
    return promise;
  }

  return greeting.promise.then((hello) => ({
    hello,
    call: (call, signal) => {
      const result = queue.then(() => perform(call, signal));
      queue = result;
      return result;
    },
    expectSilence: (isExpected) => heartbeat?.expectSilence("frozen", isExpected),
    close: () => lose("The session was closed.", true),
  }));
}

/**
 * Where this process did nothing for long (it waited for its store), a timer is due before that is read which arrived in time: Node.js runs timers, then
 * reads, then runs immediates. So a time limit is judged after a look at what is there.
 */
function onceRead(judge: () => unknown): () => void {
  return () => void setImmediate(judge);
}

function readHello(payload: Uint8Array): Hello {
  const fields = readFields(payload);
  const version = fields.u16();
  if (version !== PROTOCOL_VERSION) throw new FieldError(`It speaks version ${version} of the protocol, not ${PROTOCOL_VERSION}.`);
  const features = fields.u32();
  const needed = FEATURE_EXEC | FEATURE_FILES | FEATURE_SEARCH | FEATURE_PROBE;
  if ((features & needed) !== needed)
    throw new FieldError(`It lacks features (${features} of ${needed}): it is older than this Warder, and \`scripts/setup\` builds it anew.`);
  return { features, uid: fields.u32(), gid: fields.u32(), longestFrame: fields.u32(), heartbeatMs: fields.u32() };
}
