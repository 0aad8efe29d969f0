import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { guarded } from "../../../store/files/fault.ts";
import { sandboxFile } from "../../shipped-files.ts";
import { isOwnerAlive, ownerOf, pidOf } from "../../owner.ts";
import { MASK_DIRECTORY, type workspacePaths } from "../record.ts";
import { isWithin } from "../scan/roots.ts";

/** Makes the directories of a workspace below a run directory; what an earlier session left goes, unless it is continued. */
export function makeDirectories(paths: ReturnType<typeof workspacePaths>, isContinued: boolean): void {
  refuseOtherOwner(paths.owner);
  unmountBelow(paths.base);
  unmountBelow(paths.stage);
  if (!isContinued) removeTree(paths.base);
  if (paths.stage !== paths.base) {
    removeTree(paths.stage);
    // Root's alone, but for the sandbox's group, which may pass through.
    mkdirSync(paths.stage, { mode: 0o710 });
  }
  for (const path of [paths.base, paths.layers, paths.lower, paths.merged, paths.repositoryMerged]) mkdirSync(path, { recursive: true, mode: 0o700 });
  mkdirSync(paths.roots, { recursive: true, mode: 0o711 });
  claim(paths.owner);
  removeMasks(paths);
  mkdirSync(paths.maskDirectory, { mode: 0o000 });
  writeFileSync(paths.maskFile, "", { mode: 0o000 });
  mkdirSync(paths.publicParts, { mode: 0o711 });
}

/** What stands for forbidden paths in sandboxes, once there are none: a directory that nobody may enter keeps its owner from removing what is around it. */
export function removeMasks({
  maskDirectory,
  maskFile,
  publicParts,
}: Pick<ReturnType<typeof workspacePaths>, "maskDirectory" | "maskFile" | "publicParts">): void {
  removeEmpty(maskDirectory);
  rmSync(publicParts, { recursive: true, force: true });
  rmSync(maskFile, { force: true });
}

/**
 * Makes this process the one that works with a run's directory, so that no other mounts or reaps it
 * meanwhile. Throws `usage` when another that lives does, and `store-unavailable`; the file is removed by who is done.
 */
export function claim(file: string): void {
  refuseOtherOwner(file);
  rmSync(file, { force: true });
  // Exclusive: of two that come at once one fails.
  guarded("store-unavailable", `${file} cannot be written`, () => {
    writeFileSync(file, ownerOf(process.pid) ?? "", { mode: 0o600, flag: "wx" });
  });
}

/** Throws `usage` when a process that lives works with a run. */
export function refuseOtherOwner(file: string): void {
  const owner = existsSync(file) ? readFileSync(file, "utf8") : null;
  if (owner === null || owner === ownerOf(process.pid) || !isOwnerAlive(owner)) return;
  throw new AgentError("usage", `The process ${pidOf(owner)} works with this run now: try again when it is done.`);
}

/**
 * Where a run's mounts are shown when the sandbox's user must reach them itself: the state directory is
 * closed to it. A name of the run's own, so that whoever reaps the run finds it.
 */
export function stageOf(runId: string): string {
  if (!/^[\w-]{1,64}$/.test(runId)) throw new AgentError("usage", `${runId} is no id of a run.`);
  return `/run/warder-${runId}`;
}

/**
 * Removes a directory of ours. Never while something is mounted below it: removal would go on inside,
 * in the person's workspace. Throws `broken-invariant` then.
 */
export function removeTree(path: string): void {
  const mounted = mountsBelow(path);
  if (mounted.length > 0) throw new AgentError("broken-invariant", `${path} is not removed: ${mounted.join(", ")} is still mounted.`);
  // Nobody may list it, so a recursive removal by anybody but root stops there.
  removeEmpty(join(path, MASK_DIRECTORY));
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (!CLOSED.has((error as NodeJS.ErrnoException).code)) throw error;
    removeClosed(path);
  }
}

/** A run may take its owner's rights to what it made, and nest directories beyond what a path can say. */
const CLOSED: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM", "ENOTEMPTY", "ENAMETOOLONG"]);

function removeClosed(path: string): void {
  const env = { PATH: "/usr/bin:/bin" };
  // What it cannot change is not ours, and removing it says so. Neither follows a link.
  spawnSync("chmod", ["-R", "u+rwX", "--", path], { env, stdio: "ignore" });
  const { status, stderr } = spawnSync("rm", ["-rf", "--one-file-system", "--", path], { env, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  if (status === 0) return;
  throw new AgentError("sandbox-unavailable", `${path} cannot be removed: ${makeVisibleLine((stderr || "rm cannot be run").split("\n", 1)[0] ?? "")}`, {
    remedy: "It is removed by the next start of Warder with Docker running, or by root.",
  });
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Unmounts whatever a dead owner left below a directory of ours. Returns what was mounted there. */
export function unmountBelow(path: string): readonly string[] {
  const mounted = mountsBelow(path).toReversed();
  if (mounted.length > 0)
    execFileSync(sandboxFile("build/warder-host"), ["unmount", ...mounted], { env: {}, stdio: ["ignore", "ignore", "pipe"], timeout: 20_000 });
  return mounted;
}

/** Mount points at or below a path, in the order they were mounted (proc(5), mountinfo: field 5, octal escapes). */
export function mountsBelow(path: string): readonly string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => (line.split(" ")[4] ?? "").replaceAll(/\\(\d{3})/g, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))))
    .filter((point) => point !== "" && isWithin(point, path));
}
