import { execFileSync, spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { builtProgram } from "../supervisor/process.ts";

/** Records as warder-host reads them. */
export const records = (...list: readonly (readonly string[])[]): string => list.map((fields) => `${fields.map((field) => `${field}\0`).join("")}\0`).join("");

export type Guardian = ChildProcessByStdio<Writable, Readable, null> & {
  readonly ended: Promise<number | null>;
  /** The one line it answers. */ readonly answer: Promise<string>;
};

export const hold = (...plan: readonly (readonly string[])[]): Guardian => holdThrough([], ...plan);

/** `through` is a command that becomes the program as another user. */
export function holdThrough(through: readonly string[], ...plan: readonly (readonly string[])[]): Guardian {
  const child = spawn("env", [...through, builtProgram("warder-host"), "hold"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  const answer = new Promise<string>((resolve) => {
    let text = "";
    child.stdout.on("data", (data: Uint8Array) => {
      text += Buffer.from(data).toString();
      if (text.endsWith("\n")) resolve(text.trimEnd());
    });
  });
  child.stdin.on("error", () => undefined);
  child.stdin.write(records(...plan, ["go"]));
  return Object.assign(child, { ended, answer });
}

/** Mount points below a directory. */
export const mountsBelow = (path: string): string[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((target) => target.startsWith(`${path}/`));

export type ListedChange = { readonly kind: string; readonly type: string; readonly size: number; readonly mode: string; readonly path: string };

export function changes(upper: string, lower: string): ListedChange[] {
  const fields = execFileSync(builtProgram("warder-host"), ["changes", upper, lower, "trusted"], { encoding: "utf8", maxBuffer: 64 * 1024 ** 2 }).split("\0");
  const list: ListedChange[] = [];
  for (let at = 0; at + 9 <= fields.length; at += 9) {
    const [kind = "", type = "", size = "", mode = "", , , , , path = ""] = fields.slice(at, at + 9);
    list.push({ kind, type, size: Number(size), mode, path });
  }
  return list;
}

/** Answers, one a record. */
export function apply(root: string, upper: string, ...list: readonly (readonly string[])[]): string[] {
  const done = spawnSync(builtProgram("warder-host"), ["apply", root, upper], { input: records(...list), encoding: "utf8" });
  return done.stdout.split("\n").filter((line) => line !== "");
}

export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "warder-host-")));
  // Commands of another user work below it.
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
