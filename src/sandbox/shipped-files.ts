import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentError } from "../base/errors.ts";

/** Files of the package's `sandbox/` folder, which lies at the same place beside `src/` and `dist/`. */
export type SandboxFile =
  | "build/warder-supervisor"
  | "build/warder-host"
  | "build-image.sh"
  | "browser/prepare-context.sh"
  | "hosts"
  | "seccomp.json"
  | "syscalls.json";

const FOLDER = fileURLToPath(new URL("../../sandbox", import.meta.url));

/** The absolute path of a file that setup makes or that is shipped. Throws `sandbox-unavailable` when it is missing. */
export function sandboxFile(file: SandboxFile): string {
  const path = join(FOLDER, file);
  if (!existsSync(path))
    throw new AgentError("sandbox-unavailable", `${path} is missing.`, {
      remedy: isCheckout() ? "Run scripts/setup, which makes it." : "Install Warder again.",
    });
  return path;
}

/**
 * Where the name of Warder's own image is written (`image-tag`, `image-id`): in a checkout where `scripts/setup` builds, for an installed package in the
 * state directory, because the package's folder may well be root's.
 */
export function imageRecordDirectory(stateDirectory: string | null): string {
  return isCheckout() || stateDirectory === null ? join(FOLDER, "build") : join(stateDirectory, "sandbox");
}

/** A package has no sources. */
const isCheckout = (): boolean => existsSync(join(FOLDER, "..", "src", "index.ts"));
