import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { SandboxUser } from "../../mounts.ts";
import { sandboxFile } from "../../shipped-files.ts";
import { removeTree } from "../mounts/directories.ts";

/** What a run may write in all, holes not counted: as much as where root's image of the layers bounds it. */
export const MAX_LAYER_BYTES = 8 * 1024 ** 3;
export const MAX_LAYER_ENTRIES = 1_000_000;

const MAX_COMPLAINT = 2000;

/**
 * Puts a layer that comes as a stream (`warder-host pack`) in the place of a local one, whole or not at all. Throws `sandbox-unavailable` for what is no
 * layer, breaks off, or is more than fits. Whoever sends it is not trusted.
 */
export async function receiveLayer(
  upper: string,
  stream: Readable,
  {
    user,
    maxBytes = MAX_LAYER_BYTES,
    maxEntries = MAX_LAYER_ENTRIES,
  }: { readonly user: SandboxUser; readonly maxBytes?: number; readonly maxEntries?: number },
): Promise<void> {
  const fresh = `${upper}.new`;
  const old = `${upper}.old`;
  removeTree(fresh);
  mkdirSync(fresh, { mode: 0o700 });
  const owner = process.getuid?.() === 0 ? [String(user.uid), String(user.gid)] : [];
  const child = spawnHost(["unpack", fresh, String(maxBytes), String(maxEntries), ...owner], "input");
  const ended = endOf(child);
  // What ends the program early is what it says itself.
  await pipeline(stream, child.stdin as Writable).catch(() => undefined);
  const complaint = await ended;
  if (complaint !== null) {
    removeTree(fresh);
    throw new AgentError("sandbox-unavailable", `What the run wrote could not be brought back: ${complaint}`, remedyOf(complaint, upper));
  }
  removeTree(old);
  if (existsSync(upper)) renameSync(upper, old);
  renameSync(fresh, upper);
  removeTree(old);
}

function remedyOf(complaint: string, upper: string): { readonly remedy?: string } {
  if (!/No space left on device|Disk quota exceeded/u.test(complaint)) return {};
  return { remedy: `It is still on the engine. Free space on the disk of ${dirname(upper)}, then \`warder changes list RUN\` brings it back.` };
}

/** Writes a local layer as such a stream. Throws `sandbox-unavailable` when it cannot be read, or nobody takes it. */
export async function sendLayer(upper: string, to: Writable): Promise<void> {
  const child = spawnHost(["pack", upper, "user"], "output");
  const ended = endOf(child);
  const passed = pipeline(child.stdout as Readable, to).then(
    () => null,
    (error: unknown) => error,
  );
  const complaint = await ended;
  const fault = await passed;
  if (complaint !== null || fault !== null)
    throw new AgentError("sandbox-unavailable", `What the run wrote before could not be sent to the engine: ${complaint ?? String(fault)}`);
}

function spawnHost(argv: readonly string[], piped: "input" | "output"): ChildProcess {
  return spawn(sandboxFile("build/warder-host"), argv, {
    stdio: [piped === "input" ? "pipe" : "ignore", piped === "output" ? "pipe" : "ignore", "pipe"],
    env: {},
    cwd: "/",
  });
}

/** Null when it ended well. */
async function endOf(child: ChildProcess): Promise<string | null> {
  let complaint = "";
  child.stdin?.on("error", () => undefined);
  child.stderr?.on("data", (data: Buffer) => (complaint = (complaint + data.toString()).slice(-MAX_COMPLAINT)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return code === 0 ? null : makeVisibleLine(complaint.trim()) || `warder-host ended with ${String(code)}`;
}
