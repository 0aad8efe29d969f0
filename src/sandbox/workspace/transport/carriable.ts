import type { Stats } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import { hasNetwork } from "../../../policy/matching/network-entries.ts";
import type { Cargo, Carrier } from "../../mounts.ts";
import type { SandboxProfile } from "../../runtime.ts";
import { mountsBelow } from "../mounts/directories.ts";
import { isWithin } from "../scan/roots.ts";
import type { Scan } from "../scan/scan.ts";

/** Throws `sandbox-unavailable` for what a policy wants that only an engine with this machine's files can give. */
export function requireCarriable(
  { settings, roots, repository }: Pick<SandboxProfile, "settings" | "roots" | "repository">,
  { address, because }: Pick<Carrier, "address" | "because">,
): void {
  const refuse = (problem: string, remedy: string): never => {
    throw new AgentError("sandbox-unavailable", `${problem}: the engine at ${address} has not this machine's files (${because}).`, { remedy });
  };
  const [workspace, ...others] = roots;
  if (settings.workspace === "bind" && workspace?.access === "read-write")
    refuse(
      "A workspace with `sandbox.workspace: bind` cannot be written to there",
      "Choose `sandbox.workspace: transactional`, or use an engine on this machine.",
    );
  const written = others.find(({ path, access }) => access === "read-write" && path !== repository?.path);
  if (written !== undefined && settings.workspace !== "none")
    refuse(`The root ${written.path} cannot be written to there`, "Make it a root that is only read, or use an engine on this machine.");
  if (hasNetwork(settings.network))
    refuse("The hosts and registries of `sandbox.network` cannot be reached from there", "Choose a policy without network, or use an engine on this machine.");
}

/** What of a profile goes to such an engine: nothing that policy forbids, and nothing that is mounted below a root. */
export function cargoOf(
  { settings, roots }: Pick<SandboxProfile, "settings" | "roots">,
  { scans, ...cargo }: Omit<Cargo, "roots"> & { readonly scans: readonly Pick<Scan, "entries">[] },
): Cargo {
  return { ...cargo, roots: settings.workspace === "none" ? [] : roots.map(({ path }, index) => ({ path, entries: ownEntries(path, scans[index]?.entries) })) };
}

/** Those of the root's own file system, as an engine on this machine would show it: an empty directory where another one is mounted. */
function ownEntries(root: string, entries: Scan["entries"] = new Map()): Scan["entries"] {
  const mounted = mountsBelow(root).filter((point) => point !== root);
  const isMounted = (path: string, stats: Stats): boolean => mounted.some((point) => (path === point ? !stats.isDirectory() : isWithin(path, point)));
  return mounted.length === 0 ? entries : new Map([...entries].filter(([path, stats]) => !isMounted(path, stats)));
}
