import { realpathSync, statSync } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import type { SandboxProfile } from "../../runtime.ts";

/** Directories that a root must not be: mounted over the image's they would break or steer what runs inside, and on the host they are the system's. */
const SYSTEM_DIRECTORIES = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/proc",
  "/run",
  "/sbin",
  "/sys",
  "/tmp",
  "/usr",
  "/var",
  "/var/run",
  "/.warder",
];

/** Directories that nothing below may be a root of: they hold devices, sockets and the kernel's state. */
const NEVER_BELOW = ["/dev", "/proc", "/run", "/sys", "/var/run", "/.warder"];

/** More roots than this are a mistake; the supervisor takes 64 with its own. */
const MAX_ROOTS = 48;

/** Whether `path` is `ancestor` or lies below it; both absolute and normalised. */
export function isWithin(path: string, ancestor: string): boolean {
  return path === ancestor || path.startsWith(ancestor === "/" ? "/" : `${ancestor}/`);
}

/**
 * Refuses roots that would hand the sandbox more of the machine than a workspace. The policy layer
 * refuses them too; this is the last look before something is mounted. Throws `bad-configuration`.
 */
export function checkRoots(profile: SandboxProfile): void {
  if (profile.roots.length > MAX_ROOTS) refuse(`A policy may name ${String(MAX_ROOTS)} roots at most.`);
  const seen = new Set<string>();
  for (const root of profile.roots) {
    if (seen.has(root.path)) refuse(`The root ${root.path} is named twice.`);
    seen.add(root.path);
    checkRoot(root.path, root.access === "read-write", profile);
  }
}

function checkRoot(path: string, isWritable: boolean, profile: SandboxProfile): void {
  const real = realOf(path);
  if (real !== path) refuse(`The root ${path} is reached through a link: name it by its real path, ${real}.`);
  if (!statSync(path).isDirectory()) refuse(`The root ${path} is not a directory.`);
  if (path === "/") refuse("The root / would show the whole machine.");
  for (const directory of SYSTEM_DIRECTORIES) if (isWithin(directory, path)) refuse(`The root ${path} is, or contains, ${directory} of the system.`);
  for (const directory of NEVER_BELOW) if (isWithin(path, directory)) refuse(`The root ${path} lies in ${directory}.`);
  if (isWithin(path, "/etc")) refuse(`The root ${path} lies in /etc.`);
  for (const own of profile.ownPaths) if (isWithin(path, own)) refuse(`The root ${path} lies in Warder's own ${own}.`);
  if (!isWritable) return;
  if (isWithin(profile.home, path)) refuse(`The root ${path} is, or contains, the home directory ${profile.home}: it can only be read.`);
  for (const own of profile.ownPaths)
    if (isWithin(own, path) && statSync(own, { throwIfNoEntry: false })?.isDirectory() === true)
      refuse(`The root ${path} contains Warder's own ${own}: it can only be read.`);
}

/** The directory that is mounted as an empty home inside, or /tmp where the host's home would hide a part of the image. */
export function homeInside(home: string): string {
  const isUnusable =
    !home.startsWith("/") ||
    home === "/" ||
    SYSTEM_DIRECTORIES.some((directory) => home === directory || (directory !== "/var" && directory !== "/tmp" && isWithin(home, directory)));
  return isUnusable ? "/tmp" : home;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    return refuse(`The root ${path} cannot be used: ${(error as Error).message}`);
  }
}

function refuse(message: string): never {
  throw new AgentError("bad-configuration", message);
}
