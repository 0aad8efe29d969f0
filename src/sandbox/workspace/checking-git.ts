import { spawn } from "node:child_process";
import { once } from "node:events";

/** git in a repository of our own, which holds what is to be checked. */
export type CheckingGit = (args: readonly string[], io?: { readonly input?: string | Buffer; readonly onOutput?: (part: Buffer) => void }) => Promise<GitEnd>;

export type GitEnd = { readonly isDone: boolean; readonly stdout: string; /** One line. */ readonly complaint: string };

const TIMEOUT_MS = 10 * 60_000;
const MAX_COMPLAINT_CHARACTERS = 300;

/** Nothing but the objects comes from outside: no configuration, no hooks, no transport, no other program. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.commitGraph=false",
  "core.multiPackIndex=false",
  "protocol.allow=never",
  "gc.auto=0",
  "pack.compression=0",
  "pack.threads=1",
].flatMap((setting) => ["-c", setting]);

/** `directory`: a bare repository that we made, or where `init` makes it. Throws when there is no git on this machine. */
export function checkingGit(directory: string): CheckingGit {
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
  return async (args, { input = "", onOutput } = {}) => {
    const child = spawn("git", [...SETTINGS, ...args], { cwd: directory, env, stdio: ["pipe", "pipe", "pipe"], timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
    const ended = once(child, "close");
    const parts: Buffer[] = [];
    let complaint = "";
    child.stdout.on("data", onOutput ?? ((part: Buffer) => parts.push(part)));
    child.stderr.on("data", (part: Buffer) => (complaint = (complaint + part.toString()).slice(-8192)));
    // It may end before it has read everything; its status says so.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const [status] = (await ended) as [number | null];
    return { isDone: status === 0, stdout: Buffer.concat(parts).toString(), complaint: lastLine(complaint) };
  };
}

function lastLine(text: string): string {
  const line = text
    .trim()
    .split("\n")
    .findLast((candidate) => candidate.startsWith("fatal:") || candidate.startsWith("error:"));
  return (line ?? text.trim().split("\n").at(-1) ?? "").slice(0, MAX_COMPLAINT_CHARACTERS);
}
