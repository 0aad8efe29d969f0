import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "./temporary-store.ts";

/** A disk of two mebibytes of its own, gone when the test ends. Needs root. */
export function smallDisk(): string {
  const directory = join(temporaryDirectory(), "disk");
  mkdirSync(directory);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", directory]);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", directory]);
  });
  return directory;
}

/** Takes all the space that is left on the disk of a new file. */
export function fillDisk(file: string): void {
  execFileSync("sh", ["-c", 'cat /dev/zero > "$1" 2>/dev/null || true', "sh", file]);
}

export function makeReadOnly(disk: string): void {
  execFileSync("mount", ["-o", "remount,ro", disk]);
}

export function makeWritable(disk: string): void {
  execFileSync("mount", ["-o", "remount,rw", disk]);
}
