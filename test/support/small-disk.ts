import { execFileSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "./temporary-store.ts";

/** A disk of two mebibytes of its own, gone when the test ends. Needs root. */
export function smallDisk(): string {
  const directory = join(temporaryDirectory(), "disk");
  mkdirSync(directory);
  mountSmallDisk(directory, 2);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", directory]);
  });
  return directory;
}

/** Whoever mounts it unmounts it. */
export function mountSmallDisk(directory: string, mebibytes: number): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${String(mebibytes)}m,mode=755`, "tmpfs", directory]);
}

/** Takes all the space that is left on the disk of a new file. */
export function fillDisk(file: string): void {
  execFileSync("sh", ["-c", 'cat /dev/zero > "$1" 2>/dev/null || true', "sh", file]);
}

/** Makes the disk so small that so much more fits. */
export function leaveRoom(disk: string, bytes: number): void {
  const { blocks, bfree, bsize } = statfsSync(disk);
  execFileSync("mount", ["-o", `remount,size=${String((blocks - bfree + Math.ceil(bytes / bsize)) * bsize)}`, disk]);
}

/** How much more fits. */
export function roomOn(disk: string): number {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
}

export function makeReadOnly(disk: string): void {
  execFileSync("mount", ["-o", "remount,ro", disk]);
}

export function makeWritable(disk: string): void {
  execFileSync("mount", ["-o", "remount,rw", disk]);
}
