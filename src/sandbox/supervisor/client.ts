import type { TakeOutput } from "../runtime.ts";
import { openConnection, type ConnectOptions, type Hello, type SupervisorStream } from "./connection.ts";
import type { Call } from "./call.ts";
import { liveText } from "./streaming.ts";
import { execCall, execReply, type ExecReply, type ExecRequest } from "./exec.ts";
import {
  hashVerb,
  listVerb,
  readVerb,
  resolveVerb,
  verbReply,
  writeVerb,
  type Expectation,
  type Listing,
  type Measured,
  type ReadContent,
  type Verb,
  type VerbReply,
  type Written,
} from "./files.ts";
import { probeVerb } from "./probe.ts";
import { searchVerb, type Found, type SearchRequest } from "./search.ts";

export type CallOptions = {
  /** Aborting ends the call: the supervisor kills what runs. */ readonly signal?: AbortSignal;
  /** Default 30 s. */ readonly timeoutMs?: number;
};

export type ExecOptions = {
  readonly signal?: AbortSignal;
  /** Text of each stream: its kept start as it arrives, its kept end when the command has ended. A character is never split. */
  readonly onOutput?: TakeOutput;
  /**
   * Where given, the command's standard input stays open, and this is called as it starts with what feeds it. A command that leaves 16 MiB unread is ended
   * (`input-limit`). Wants `FEATURE_INPUT`.
   */
  readonly onInput?: Call["onInput"];
};

/**
 * A supervisor at the other end of a stream. Calls are performed one at a time, in the order they were made; none rejects: a lost session
 * gives `session-lost` to the call under way and to all later ones.
 */
export type SupervisorClient = {
  readonly hello: Hello;
  exec(request: ExecRequest, options?: ExecOptions): Promise<ExecReply>;
  /** Real paths and metadata, also outside every root, in the order asked; at most 4,096. */
  resolve(paths: readonly string[], options?: CallOptions): Promise<VerbReply<readonly Measured[]>>;
  /** At most 10 MiB from `offset` of a regular file below a root. */
  read(range: { readonly path: string; readonly offset: number; readonly length: number }, options?: CallOptions): Promise<VerbReply<ReadContent>>;
  /** SHA-256 of each file; null for what is no readable regular file of at most 64 MiB below a root. */
  hash(paths: readonly string[], options?: CallOptions): Promise<VerbReply<readonly (string | null)[]>>;
  list(request: { readonly path: string; readonly depth: number; readonly maxEntries: number }, options?: CallOptions): Promise<VerbReply<Listing>>;
  /** Replaces or creates a file below an `rw` root atomically; `conflict` when the expectation does not hold. */
  write(
    request: { readonly path: string; readonly content: Uint8Array; readonly expectation: Expectation },
    options?: CallOptions,
  ): Promise<VerbReply<Written>>;
  /** The lines of the text files below a path, or of one, in which a plain text stands; sorted by path, following no link, without what is in `.git`. */
  search(request: SearchRequest, options?: CallOptions): Promise<VerbReply<Found>>;
  /** What the kernel says of the sandbox to a command, and what becomes of attempts to leave it: text in parts. */
  probe(options?: CallOptions): Promise<VerbReply<string>>;
  /** Whether the supervisor is frozen now, so that its silence means nothing. */
  expectSilence(isExpected: boolean): void;
  /** Ends the session: the supervisor kills everything and exits. Idempotent. */
  close(): void;
};

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Talks to the supervisor whose standard streams are given; protocol in `sandbox/PROTOCOL.md`. Rejects when it does not greet in time or
 * speaks another version; the streams are then destroyed.
 */
export async function connectSupervisor(stream: SupervisorStream, options: ConnectOptions = {}): Promise<SupervisorClient> {
  const connection = await openConnection(stream, options);

  async function perform<Value>(verb: Verb<Value>, signal: AbortSignal | undefined): Promise<VerbReply<Value>> {
    if ("refused" in verb) return { kind: "failed", code: "bad-request", reason: verb.refused, durationMs: 0 };
    return verbReply(await connection.call(verb.call, signal), verb.read);
  }

  const timeout = (call?: CallOptions): number => call?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return {
    hello: connection.hello,
    exec: async (request, { signal, onOutput, onInput } = {}) => {
      const live = onOutput === undefined ? null : liveText(onOutput);
      const call = execCall(request, live?.take, onInput);
      if ("refused" in call) return { kind: "not-started", stage: "bad-request", errno: null, reason: call.refused, durationMs: 0 };
      const reply = execReply(await connection.call(call, signal), request.cwd);
      if (request.keeps !== "nothing") live?.finish(reply);
      return reply;
    },
    resolve: (paths, call) =>
      paths.length === 0 ? Promise.resolve({ kind: "done", value: [], durationMs: 0 }) : perform(resolveVerb(paths, timeout(call)), call?.signal),
    read: (range, call) => perform(readVerb(range, timeout(call)), call?.signal),
    hash: (paths, call) =>
      paths.length === 0 ? Promise.resolve({ kind: "done", value: [], durationMs: 0 }) : perform(hashVerb(paths, timeout(call)), call?.signal),
    list: (request, call) => perform(listVerb(request, timeout(call)), call?.signal),
    write: (request, call) => perform(writeVerb(request, timeout(call)), call?.signal),
    search: (request, call) => perform(searchVerb(request, timeout(call)), call?.signal),
    probe: (call) => perform(probeVerb(timeout(call)), call?.signal),
    expectSilence: (isExpected) => connection.expectSilence(isExpected),
    close: () => connection.close(),
  };
}
