import { execFileSync, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary-store.ts";
import { once } from "../until.ts";

/** Whether there is a compiler for the program that kills at a step. */
export const hasCompiler = spawnSync("cc", ["--version"], { stdio: "ignore" }).status === 0;

export type Crashed = { readonly isKilled: boolean; /** That changed a file. */ readonly steps: number; readonly complaint: string };

/**
 * Runs commands that are killed, with all that they started, before a step: a system call that changes a file below a directory (crash-at.c). Step 0: runs it to
 * its end, and counts.
 */
export function crashProgram(): (step: number, root: string, command: readonly string[]) => Promise<Crashed> {
  const program = join(temporaryDirectory(), "crash-at");
  execFileSync("cc", ["-O1", "-o", program, join(import.meta.dirname, "crash-at.c")]);
  return async (step, root, command) => {
    // What Node.js keeps of compiled code is written by the first of several, whose steps would be more than those of the next.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
    const child = spawn(program, [String(step), root, ...command], { stdio: ["ignore", "ignore", "pipe"], env });
    let complaint = "";
    child.stderr.on("data", (part: Buffer) => (complaint += part.toString()));
    const [status] = (await once(child, "close")) as [number | null];
    return { isKilled: status === 99, steps: Number(/steps (\d+)\n$/u.exec(complaint)?.[1]), complaint };
  };
}
