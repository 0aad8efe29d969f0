import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AgentError } from "../base/errors.ts";

/** Files of the package's `sandbox/` folder, which lies at the same place beside `src/` and `dist/`. */
export type SandboxFile = "build/warder-supervisor" | "build/warder-host" | "build/image-id" | "seccomp.json" | "syscalls.json";

/** The absolute path of a file that setup makes or that is shipped. Throws `sandbox-unavailable` when it is missing. */
export function sandboxFile(file: SandboxFile): string {
  const path = fileURLToPath(new URL(`../../sandbox/${file}`, import.meta.url));
  if (!existsSync(path)) throw new AgentError("sandbox-unavailable", `${path} is missing. Run scripts/setup, which makes it.`);
  return path;
}
