import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "./until.ts";

/** Longer than git waits by itself (100 ms, git-config(1)). */
const HELD_MS = 400;

/** Removes a lock, as somebody's git does when it is done: a while after another git in the same worktree began to move refs. */
export async function letGoOf(workspace: string, lock: string): Promise<void> {
  await until("a git that moves refs", () => readdirSync("/proc").some((pid) => /^\d+$/u.test(pid) && isMovingRefs(pid, workspace)));
  await pause(HELD_MS);
  rmSync(join(workspace, lock));
}

function isMovingRefs(pid: string, workspace: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === workspace && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("update-ref");
  } catch {
    // It has ended.
    return false;
  }
}
