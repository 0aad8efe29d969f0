/** The numbers of `sandbox/PROTOCOL.md`, version 1. A name here is the name there. */

export const PROTOCOL_VERSION = 1;

/** Longest frame (after its length field) that the supervisor reads, and that it sends. */
export const MAX_REQUEST_FRAME = 16_777_216;
export const MAX_REPLY_FRAME = 131_072;

export const MAX_PATHS = 4096;
export const MAX_READ_BYTES = 10 * 1024 * 1024;
export const MAX_WRITE_BYTES = 10 * 1024 * 1024;
export const MAX_TEXT_BYTES = 4096;
export const MAX_TAIL_BYTES = 4 * 1024 * 1024;
export const MAX_TIMEOUT_MS = 86_400_000;

export const REQUEST = {
  ping: 0x01,
  cancel: 0x02,
  input: 0x03,
  exec: 0x10,
  resolve: 0x11,
  read: 0x12,
  hash: 0x13,
  list: 0x14,
  write: 0x15,
  search: 0x16,
  probe: 0x17,
} as const;
export const REPLY = { hello: 0x80, pong: 0x81, output: 0x82, exit: 0x83, fault: 0x84 } as const;

/** Features of the hello frame that this client needs. */
export const FEATURE_EXEC = 1;
export const FEATURE_FILES = 2;
export const FEATURE_SEARCH = 8;
export const FEATURE_PROBE = 16;
/** Needed only by commands that are fed while they run. */
export const FEATURE_INPUT = 32;

export const EXEC_KILL_AT_LIMIT = 1;
export const EXEC_HAS_STDIN = 2;
export const EXEC_INPUT_FOLLOWS = 4;

/** Stable words for what went wrong with a verb, by the number on the wire. */
export const FAILURE_WORDS = [
  "none",
  "not-found",
  "is-directory",
  "not-a-file",
  "permission",
  "outside-roots",
  "conflict",
  "too-large",
  "no-space",
  "io",
  "bad-request",
  "not-a-directory",
  "unresolvable",
] as const;

export type FailureWord = Exclude<(typeof FAILURE_WORDS)[number], "none"> | "session-lost" | "timed-out" | "cancelled";

export const NODE_TYPES = ["missing", "file", "directory", "link", "other"] as const;
export type NodeType = (typeof NODE_TYPES)[number];

export const CAUSES = ["itself", "timed-out", "output-limit", "cancelled", "input-limit"] as const;
export type Cause = (typeof CAUSES)[number];

export const STAGES = ["none", "bad-request", "busy", "fork", "cwd", "program", "identity"] as const;
export type Stage = (typeof STAGES)[number];
