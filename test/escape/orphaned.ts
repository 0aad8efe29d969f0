import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFixture } from "../contract/sandbox-fixture.ts";
import { type ArenaOptions, containersOf, isCarried, onEngine, runtimeOf, volumesOf } from "./engine.ts";
import type { Finding } from "./judge.ts";
import { once } from "../support/until.ts";

/** A session in a process of its own, which is killed without warning while a command runs. */
export async function attackOrphaned(options: ArenaOptions): Promise<Finding> {
  const fixture = makeFixture();
  const owner = join(import.meta.dirname, "../contract/sandbox-owner.ts");
  const child = spawn(process.execPath, [owner, options.runtime, JSON.stringify({ fixture })], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    // What was carried stays, with a container that never ran, until it is brought back.
    const left = (): readonly string[] => [...containersOf(fixture.runId, options, isCarried(options) ? [] : ["--all"]), ...processesOf(fixture.runId)];
    for (const patience = AbortSignal.timeout(120_000); left().length > 0 && !patience.aborted;) await sleep(50);
    const found = left();
    if (found.length === 0) await runtimeOf(options).reap(fixture.state);
    const kept = [...containersOf(fixture.runId, options), ...volumesOf(fixture.runId, options)];
    for (const container of containersOf(fixture.runId, options)) onEngine(["rm", "--force", container], options);
    for (const volume of volumesOf(fixture.runId, options)) onEngine(["volume", "rm", volume], options);
    for (const pid of processesOf(fixture.runId)) process.kill(Number(pid), "SIGKILL");
    if (found.length > 0) return { result: "escaped", detail: `it lives on: ${found.join(", ")}` };
    return kept.length === 0 ? { result: "held", detail: "" } : { result: "escaped", detail: `left behind: ${kept.join(", ")}` };
  } finally {
    child.kill("SIGKILL");
    await runtimeOf(options).reap(fixture.state);
    fixture.remove();
  }
}

/** Processes of bubblewrap's sandboxes: their arguments name the fixture's folder, which ends like the run. */
function processesOf(runId: string): readonly string[] {
  const mark = runId.slice(-6);
  return readdirSync("/proc").filter((name) => {
    const line = /^\d+$/u.test(name) ? argumentsOf(name) : "";
    return /^bwrap |^\/\.warder\/supervisor /u.test(line) && line.includes(mark);
  });
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}
