import { chmodSync, lstatSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { MASKED_PATHS, READ_ONLY_PATHS } from "../hardening.ts";
import type { SystemEntry } from "./arguments.ts";
import type { SandboxUser } from "../mounts.ts";
import { sandboxFile } from "../shipped-files.ts";

// Programs and libraries, and of /etc what they need to start: never accounts, keys, or configuration of services.
const DIRECTORIES = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const CONFIGURATION = ["/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs", "/etc/localtime", "/etc/mime.types"];

/** What of the host's system is shown inside, as it is on this machine. */
export function systemEntries(): readonly SystemEntry[] {
  return [...DIRECTORIES, ...CONFIGURATION].flatMap((path): SystemEntry[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    if (stats.isSymbolicLink()) return isShown(path) ? [{ kind: "link", path, target: readlinkSync(path) }] : [];
    return [{ kind: stats.isDirectory() ? "directory" : "file", path }];
  });
}

/** What of /proc is masked inside: what is masked in a container, and what is read-only there, but for /proc/sys, which programs read. */
export function maskedEntries(): readonly { readonly kind: "directory" | "file"; readonly path: string }[] {
  const paths = [...MASKED_PATHS, ...READ_ONLY_PATHS].filter((path) => path.startsWith("/proc/") && path !== "/proc/sys");
  return paths.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ kind: stats.isDirectory() ? ("directory" as const) : ("file" as const), path }];
  });
}

/** Writes the accounts that exist inside: the sandbox's user and root's name. The sandbox's user may read them. */
export function writeAccounts(directory: string, user: SandboxUser, home: string): readonly { target: string; source: string }[] {
  const { uid, gid } = user;
  const files = {
    passwd: `root:x:0:0:root:/root:/usr/sbin/nologin\nsandbox:x:${String(uid)}:${String(gid)}:sandbox:${home}:/bin/bash\n`,
    group: `root:x:0:\nsandbox:x:${String(gid)}:\n`,
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    hosts: readFileSync(sandboxFile("hosts"), "utf8"),
  };
  return Object.entries(files).map(([name, text]) => {
    const source = `${directory}/etc-${name}`;
    writeFileSync(source, text, { mode: 0o644 });
    // Whatever the umask.
    chmodSync(source, 0o644);
    return { target: `/etc/${name}`, source };
  });
}

function isShown(link: string): boolean {
  const real = realpathSync(link);
  return [...DIRECTORIES, ...CONFIGURATION].some((path) => real === path || real.startsWith(`${path}/`));
}
