import type { Answer, Call } from "./call.ts";
import { bytes, FieldError, raw, readFields, u32, u64, u8, writeFields, type Field, type FieldReader } from "./fields.ts";
import { FAILURE_WORDS, MAX_PATHS, MAX_READ_BYTES, MAX_TIMEOUT_MS, MAX_WRITE_BYTES, NODE_TYPES, REQUEST, type FailureWord, type NodeType } from "./protocol.ts";

/** What a path turned out to be inside the sandbox. */
export type Measured = {
  readonly path: string;
  /** Link-free; for what is missing, the real path of the nearest existing ancestor plus the rest. */
  readonly real: string;
  readonly type: Exclude<NodeType, "link">;
  /** Octal permission bits. */
  readonly mode: number;
  readonly links: number;
  readonly uid: number;
  readonly size: number;
  readonly mtimeNs: bigint;
  /** Device and inode: the same pair is the same file, whatever its name. */
  readonly device: bigint;
  readonly inode: bigint;
  /** Set when it could not be measured; the other fields then say what was known until there. */
  readonly failure?: FailureWord;
};

export type ReadContent = {
  readonly real: string;
  readonly bytes: Uint8Array;
  /** Of the whole file. */ readonly size: number;
  readonly mode: number;
  readonly links: number;
  /** Of the whole file; null above 64 MiB. */ readonly sha256: string | null;
};
export type ListedEntry = {
  /** Relative to the listed directory. */ readonly name: string;
  readonly type: NodeType;
  readonly mode: number;
  readonly size: number;
};
export type Listing = { readonly entries: readonly ListedEntry[]; readonly isTruncated: boolean };
export type Written = { readonly real: string; readonly sha256: string; readonly created: boolean };
/** What must be there for a write to happen: anything, nothing, or a file with this SHA-256 (hexadecimal). */
export type Expectation = { readonly kind: "any" } | { readonly kind: "absent" } | { readonly kind: "digest"; readonly sha256: string };

export type VerbReply<Value> =
  | { readonly kind: "done"; readonly value: Value; readonly durationMs: number }
  | { readonly kind: "failed"; readonly code: FailureWord; readonly reason: string; readonly durationMs: number };

/** A verb on its way: the wire form and how its result is read; or the reason why it has no wire form. */
export type Verb<Value> = { readonly call: Call; readonly read: (fields: FieldReader) => Value } | { readonly refused: string };

/** Bound of any verb's result; the longest list stays below it. */
const MAX_RESULT_BYTES = 64 * 1024 * 1024;
const MAX_REASON_BYTES = 4096;
const NO_DIGEST = new Uint8Array(32);

export function resolveVerb(paths: readonly string[], timeoutMs: number): Verb<readonly Measured[]> {
  return pathsVerb(REQUEST.resolve, paths, timeoutMs, (fields) => paths.map((path) => readMeasured(fields, path)));
}

export function hashVerb(paths: readonly string[], timeoutMs: number): Verb<readonly (string | null)[]> {
  return pathsVerb(REQUEST.hash, paths, timeoutMs, (fields) => paths.map(() => readDigest(fields)));
}

export function readVerb(range: { readonly path: string; readonly offset: number; readonly length: number }, timeoutMs: number): Verb<ReadContent> {
  const { path, offset, length } = range;
  if (!isWithin(offset, 0, Number.MAX_SAFE_INTEGER) || !isWithin(length, 0, MAX_READ_BYTES)) return { refused: "At most 10 MiB are read at once." };
  return verb(REQUEST.read, [path], timeoutMs, { fields: [u64(offset), u32(length), bytes(path)], read: readContent });
}

export function listVerb(request: { readonly path: string; readonly depth: number; readonly maxEntries: number }, timeoutMs: number): Verb<Listing> {
  const { path, depth, maxEntries } = request;
  if (!isWithin(depth, 1, 64) || !isWithin(maxEntries, 1, 100_000)) return { refused: "A list has a depth of 1 to 64 and 1 to 100,000 entries." };
  return verb(REQUEST.list, [path], timeoutMs, { fields: [u32(depth), u32(maxEntries), bytes(path)], read: readListing });
}

export function writeVerb(
  request: { readonly path: string; readonly content: Uint8Array; readonly expectation: Expectation },
  timeoutMs: number,
): Verb<Written> {
  const { path, content, expectation } = request;
  if (content.byteLength > MAX_WRITE_BYTES) return { refused: "At most 10 MiB are written at once." };
  if (expectation.kind === "digest" && !/^[0-9a-f]{64}$/u.test(expectation.sha256)) return { refused: "The expected digest is no SHA-256." };
  const digest = expectation.kind === "digest" ? Buffer.from(expectation.sha256, "hex") : NO_DIGEST;
  const wanted = { any: 0, absent: 1, digest: 2 }[expectation.kind];
  return verb(REQUEST.write, [path], timeoutMs, { fields: [u8(wanted), raw(digest), bytes(path), bytes(content)], read: readWritten });
}

function pathsVerb<Value>(type: number, paths: readonly string[], timeoutMs: number, read: (fields: FieldReader) => Value): Verb<Value> {
  if (!isWithin(paths.length, 1, MAX_PATHS)) return { refused: `One call takes 1 to ${MAX_PATHS} paths.` };
  return verb(type, paths, timeoutMs, { fields: [u32(paths.length), ...paths.map(bytes)], read });
}

/** A verb over paths, in its wire form. */
export function verb<Value>(
  type: number,
  paths: readonly string[],
  timeoutMs: number,
  form: { readonly fields: readonly Field[]; readonly read: (fields: FieldReader) => Value },
): Verb<Value> {
  const bad = paths.find((path) => !path.startsWith("/") || path.includes("\0") || !path.isWellFormed() || Buffer.byteLength(path) > 4095);
  if (bad !== undefined) return { refused: "A path must be absolute, at most 4,095 bytes, and without NUL." };
  if (!isWithin(timeoutMs, 1, MAX_TIMEOUT_MS)) return { refused: "The time limit is not between 1 ms and a day." };
  const payload = writeFields([u32(timeoutMs), ...form.fields]);
  return { call: { type, payload, timeoutMs, headBytes: MAX_RESULT_BYTES, tailBytes: 0 }, read: form.read };
}

/** What an answer means for a verb. A result that does not parse is `io`: nothing of it is used. */
export function verbReply<Value>(answer: Answer, read: (fields: FieldReader) => Value): VerbReply<Value> {
  const { durationMs } = answer;
  const failed = (code: FailureWord, reason: string): VerbReply<Value> => ({ kind: "failed", code, reason, durationMs });
  if (answer.kind === "lost") return failed("session-lost", answer.reason);
  if (answer.kind === "cancelled-before-start") return failed("cancelled", "It was cancelled before it started.");
  if (answer.cause === "timed-out" || answer.cause === "cancelled") return failed(answer.cause, "It was ended before it was done.");
  const { ending } = answer;
  if (ending.kind === "not-started")
    return failed(ending.stage === "bad-request" ? "bad-request" : "io", `The supervisor could not start it (${ending.stage}, errno ${ending.errno}).`);
  if (ending.kind === "signalled") return failed("io", `It was ended by signal ${ending.signal}.`);
  if (ending.exitCode !== 0) {
    const word = FAILURE_WORDS[ending.exitCode];
    return failed(
      word === undefined || word === "none" ? "io" : word,
      new TextDecoder().decode(Buffer.concat(answer.stderr.head).subarray(0, MAX_REASON_BYTES)),
    );
  }
  try {
    const fields = readFields(Buffer.concat(answer.stdout.head));
    const value = read(fields);
    fields.end();
    return { kind: "done", value, durationMs };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    return failed("io", `Its result is malformed. ${error.message}`);
  }
}

function readMeasured(fields: FieldReader, path: string): Measured {
  const failure = FAILURE_WORDS[fields.u8()];
  const type = readType(fields);
  const numbers = {
    mode: fields.u32(),
    links: fields.u32(),
    uid: fields.u32(),
    size: fields.u64(),
    mtimeNs: fields.u64Exact(),
    device: fields.u64Exact(),
    inode: fields.u64Exact(),
  };
  const real = readPath(fields);
  if (failure === undefined || type === "link") throw new FieldError("A measurement has an unknown failure or type.");
  const measured = { path, real: real ?? path, type, ...numbers };
  if (failure !== "none") return { ...measured, failure };
  return real === null ? { ...measured, failure: "unresolvable" } : measured;
}

function readContent(fields: FieldReader): ReadContent {
  const [size, mode, links] = [fields.u64(), fields.u32(), fields.u32()];
  const sha256 = readDigest(fields);
  const real = readPath(fields);
  if (real === null) throw new FieldError("The real path is not UTF-8.");
  return { real, size, mode, links, sha256, bytes: new Uint8Array(fields.bytes()) };
}

function readListing(fields: FieldReader): Listing {
  const entries: ListedEntry[] = [];
  while (fields.u8() === 1) {
    const [type, mode, size] = [readType(fields), fields.u32(), fields.u64()];
    entries.push({ type, mode, size, name: new TextDecoder().decode(fields.bytes()) });
  }
  return { entries, isTruncated: fields.u8() !== 0 };
}

function readWritten(fields: FieldReader): Written {
  const sha256 = Buffer.from(fields.raw(32)).toString("hex");
  const created = fields.u8() !== 0;
  return { sha256, created, real: new TextDecoder().decode(fields.bytes()) };
}

function readDigest(fields: FieldReader): string | null {
  const isThere = fields.u8() !== 0;
  const digest = Buffer.from(fields.raw(32)).toString("hex");
  return isThere ? digest : null;
}

function readType(fields: FieldReader): NodeType {
  const type = NODE_TYPES[fields.u8()];
  if (type === undefined) throw new FieldError("There is no such type of file.");
  return type;
}

/** Null for a path that is not UTF-8: it could not be named in a policy or a later call. */
function readPath(fields: FieldReader): string | null {
  const data = Buffer.from(fields.bytes());
  const text = data.toString("utf8");
  return Buffer.from(text, "utf8").equals(data) ? text : null;
}

export const isWithin = (value: number, low: number, high: number): boolean => Number.isInteger(value) && value >= low && value <= high;
