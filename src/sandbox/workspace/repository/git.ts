import { spawn } from "node:child_process";
import { once } from "node:events";

/** git in a repository of our own, which holds what is to be checked. */
export type CheckingGit = (args: readonly string[], io?: GitStreams) => Promise<GitEnd>;

export type GitStreams = {
  readonly input?: string | Buffer;
  readonly onOutput?: (part: Buffer) => void;
  /** A file that is read for the index. */ readonly index?: string;
  /** Of `stdout`: `latin1` gives each byte a character. */ readonly encoding?: "latin1";
};

export type GitEnd = { readonly isDone: boolean; readonly stdout: string; /** One line. */ readonly complaint: string };

type CheckLimits = {
  /** Of each git's own memory: heap and stack, not the files that it maps. */ readonly memoryBytes: number;
  /** Of each file that git writes. */ readonly fileBytes: number;
  /** For all that is asked of one checking git, together. */ readonly timeMs: number;
};

/**
 * What a run committed is a stranger's: a pack of 15 KB may say that it is gigabytes (a difference that copies its base a thousand times),
 * and that again for each object. git needs a base and what is made of it in memory at once, so 1 GiB is enough for objects of 400 MB.
 */
export const CHECK_LIMITS: CheckLimits = { memoryBytes: 1024 ** 3, fileBytes: 4 * 1024 ** 3, timeMs: 10 * 60_000 };

const MAX_COMPLAINT_CHARACTERS = 300;

/** More than git says of as many objects as may land (check.ts). */
const MAX_OUTPUT_BYTES = 256 * 1024 ** 2;

/** Nothing but the objects comes from outside: no configuration, no hooks, no transport, no other program. Large files are read in parts. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.commitGraph=false",
  "core.multiPackIndex=false",
  "core.bigFileThreshold=16m",
  "core.deltaBaseCacheLimit=64m",
  "protocol.allow=never",
  "gc.auto=0",
  "pack.compression=1",
  "pack.threads=1",
  // What an index says of where its entries are is not believed; and no name that some file system takes for `.git`.
  "index.threads=1",
  "core.protectHFS=true",
  "core.protectNTFS=true",
].flatMap((setting) => ["-c", setting]);

/**
 * `directory`: a bare repository that we made, or where `init` makes it. Each git runs below `limits`, which prlimit(1) sets, and ends
 * when one is reached: then it is not done. Throws when there is no prlimit on this machine.
 */
export function checkingGit(directory: string, limits: CheckLimits = CHECK_LIMITS): CheckingGit {
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LC_ALL: "C",
    HOME: "/nonexistent",
    GIT_DIR: directory,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
  const until = performance.now() + limits.timeMs;
  return async (args, { input = "", onOutput, index, encoding } = {}) => {
    const leftMs = Math.max(1, Math.round(until - performance.now()));
    // The kernel ends it also when we do not: a killed owner leaves no git that computes for hours.
    const seconds = String(Math.ceil(leftMs / 1000));
    const bounds = [`--data=${String(limits.memoryBytes)}`, `--fsize=${String(limits.fileBytes)}`, `--cpu=${seconds}`, "--core=0"];
    const child = spawn("prlimit", [...bounds, "--", "git", ...SETTINGS, ...args], {
      cwd: directory,
      env: index === undefined ? env : { ...env, GIT_INDEX_FILE: index },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: leftMs,
      killSignal: "SIGKILL",
    });
    const ended = once(child, "close");
    const parts: Buffer[] = [];
    let kept = 0;
    const keep = (part: Buffer): void => {
      kept += part.length;
      if (kept > MAX_OUTPUT_BYTES) child.kill("SIGKILL");
      else parts.push(part);
    };
    let complaint = "";
    child.stdout.on("data", onOutput ?? keep);
    child.stderr.on("data", (part: Buffer) => (complaint = (complaint + part.toString()).slice(-8192)));
    // It may end before it has read everything; its status says so.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const [status, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    return { isDone: status === 0, stdout: Buffer.concat(parts).toString(encoding), complaint: complaintOf(complaint, signal, limits) };
  };
}

function complaintOf(text: string, signal: NodeJS.Signals | null, limits: CheckLimits): string {
  if (/out of memory/iu.test(text)) return `it needs more memory than a check may take (${String(limits.memoryBytes / 1024 ** 2)} MiB).`;
  if (signal !== null) return `it took more time or room than a check may (${String(limits.timeMs / 1000)} s), and was ended with ${signal}.`;
  const lines = text.trim().split("\n");
  const line = lines.findLast((candidate) => candidate.startsWith("fatal:") || candidate.startsWith("error:"));
  return (line ?? lines.at(-1) ?? "").slice(0, MAX_COMPLAINT_CHARACTERS);
}
