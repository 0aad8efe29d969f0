import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentError } from "../base/errors.ts";
import { makeVisibleLine } from "../base/text.ts";

/**
 * Where the shipped policies lie: two folders up, from `src/config`, from `dist/config` in the package, and from the bundle of `warder check`
 * (`.tools/check-…`). This file stays at this depth.
 */
export const SHIPPED_POLICIES = fileURLToPath(new URL("../../policies/", import.meta.url)).replace(/\/$/u, "");

/** Whether a real path is one of the package's own. */
export function isShipped(path: string): boolean {
  return path.startsWith(`${realpathSync(SHIPPED_POLICIES)}/`);
}

/** Names of the shipped policies. */
export function shippedNames(): readonly string[] {
  return readdirSync(SHIPPED_POLICIES)
    .filter((file) => file.endsWith(".yaml") && !file.endsWith(".test.yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .toSorted();
}

/** The path of a shipped policy. Throws `bad-policy` for a name that none has. */
export function shippedPath(name: string): string {
  const path = join(SHIPPED_POLICIES, `${name}.yaml`);
  if (/^[a-z][a-z0-9-]*$/u.test(name) && existsSync(path)) return path;
  const names = shippedNames().join(", ");
  throw new AgentError("bad-policy", `There is no shipped policy ${makeVisibleLine(JSON.stringify(name))}.`, {
    remedy: `Choose one of: ${names}. The path of a policy has a "/" or ends in .yaml.`,
  });
}
