import { writeFileSync } from "node:fs";
import { AgentError } from "../base/errors.ts";
import { EGRESS_TARGET } from "./hardening.ts";
import type { Lane } from "./lane.ts";
import type { SandboxProfile } from "./runtime.ts";

const SETTINGS = "apt-registry.conf";
const SOURCES = "apt-sources.list";
const LAY_TIMEOUT_MS = 30_000;

/** Below the home inside: what apt installs where nobody is root. */
const APT = ".apt";

/** What a client inside is told of the registries by variables. */
export function registryEnvironment({ registries }: SandboxProfile, home: string): Readonly<Record<string, string>> {
  if (registries === undefined) return {};
  return { ...registries.env, ...(registries.apt === undefined ? {} : aptEnvironment(`${home}/${APT}/root`)) };
}

function aptEnvironment(root: string): Readonly<Record<string, string>> {
  const libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"].flatMap((name) => [`${root}/usr/lib/${name}`, `${root}/lib/${name}`]);
  return { APT_CONFIG: `${EGRESS_TARGET}/${SETTINGS}`, DEBIAN_FRONTEND: "noninteractive", LD_LIBRARY_PATH: [...libraries, `${root}/usr/lib`].join(":") };
}

/** Where programs lie that apt installed. */
export function installedPrograms({ registries }: SandboxProfile, home: string): string {
  if (registries?.apt === undefined) return "";
  return ["usr/sbin", "usr/bin", "sbin", "bin", "usr/games"].map((folder) => `:${home}/${APT}/root/${folder}`).join("");
}

/** Lays apt's settings beside the proxy's socket. `release`: the image's. */
export function layAptSettings({ registries }: SandboxProfile, { directory, home, release }: { directory: string; home: string; release: string }): void {
  const apt = registries?.apt;
  if (apt === undefined) return;
  writeFileSync(`${directory}/${SOURCES}`, apt.sources.replaceAll("{release}", release), { mode: 0o644, flag: "wx" });
  writeFileSync(`${directory}/${SETTINGS}`, `${[...aptSettings(`${home}/${APT}`), ...apt.settings].join("\n")}\n`, { mode: 0o644, flag: "wx" });
}

/** Where nobody is root and the system is read-only, packages go below the home: apt.conf(5), dpkg(1) `--root`. */
function aptSettings(own: string): readonly string[] {
  return [
    `Dir::Etc::sourcelist "${EGRESS_TARGET}/${SOURCES}";`,
    `Dir::Etc::sourceparts "-";`,
    // The image's own settings are a root's: they would be read after these.
    `Dir::Etc::main "/dev/null";`,
    `Dir::Etc::parts "/dev/null";`,
    `Dir::State "${own}/state";`,
    `Dir::State::status "${own}/root/var/lib/dpkg/status";`,
    `Dir::Cache "${own}/cache";`,
    `Dir::Cache::pkgcache "";`,
    `Dir::Cache::srcpkgcache "";`,
    `Dir::Log "${own}/log";`,
    `Acquire::https::CAInfo "${EGRESS_TARGET}/authorities.pem";`,
    `Acquire::Languages "none";`,
    `Acquire::GzipIndexes "true";`,
    `APT::Sandbox::User "";`,
    `APT::Install-Recommends "false";`,
    `APT::Keep-Downloaded-Packages "false";`,
    `Dpkg::Use-Pty "false";`,
    `Dpkg::Options { "--root=${own}/root"; "--force-not-root"; "--force-script-chrootless"; "--log=${own}/log/dpkg.log"; };`,
  ];
}

// dpkg of a root of its own knows what the image has, and runs none of the image's triggers.
const APT_SCRIPT = `own="$HOME/${APT}"; db="$own/root/var/lib/dpkg"
mkdir -p "$own/state/lists/partial" "$own/cache/archives/partial" "$own/log" "$db/info" "$db/updates" "$db/triggers"
if [ -r /var/lib/dpkg/status ]; then cp /var/lib/dpkg/status "$db/status"; cp /var/lib/dpkg/info/*.list "$db/info/"; else : > "$db/status"; fi`;

/** Lays what clients read from files alone below a lane's home. Throws `sandbox-unavailable` where it cannot. */
export async function layHomeFiles({ registries }: SandboxProfile, { lane, home }: { lane: Lane; home: string }): Promise<void> {
  if (registries === undefined) return;
  const files = Object.entries(registries.homeFiles ?? {});
  const lines = files.flatMap((_file, index) => [
    `mkdir -p "$HOME/$(dirname "$${String(2 * index + 1)}")"`,
    `printf %s "$${String(2 * index + 2)}" > "$HOME/$${String(2 * index + 1)}"`,
  ]);
  const script = ["set -e", ...lines, ...(registries.apt === undefined ? [] : [APT_SCRIPT])];
  if (script.length === 1) return;
  const reply = await lane.supervisor.exec({
    argv: ["/bin/sh", "-c", script.join("\n"), "sh", ...files.flat()],
    cwd: home,
    env: { HOME: home, PATH: "/usr/bin:/bin" },
    timeoutMs: LAY_TIMEOUT_MS,
    outputBytes: 4096,
  });
  if (reply.kind === "ended" && reply.exitCode === 0) return;
  const told = reply.kind === "not-started" ? reply.reason : reply.stderr.text.trim();
  throw new AgentError("sandbox-unavailable", `What the clients of the policy's registries read could not be laid in the sandbox's home: ${told}.`);
}
