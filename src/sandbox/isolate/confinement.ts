import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bounded, type ProcessBounds } from "../own-process/bounds.ts";

/** How the process of an isolate is started: program, arguments, and whether the kernel keeps it apart beside Node.js. */
export type Confinement = { readonly program: string; readonly words: readonly string[]; readonly isInNamespaces: boolean };

const SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
const PROBE_TIMEOUT_MS = 20_000;
/** Of each process. An isolate within its limits has 1.1 GiB: what the engine sets aside and does not touch counts, too. */
const BOUNDS: ProcessBounds = { dataKib: 2 * 1024 * 1024, cpuSeconds: 60 };
/** Where programs have their libraries. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"];

let known: Confinement | null = null;

/**
 * The command that starts it. Under Node's permission model always: it reads its own files, writes none, starts no program, no thread. Native code that a
 * broken isolate runs is not bound by that, so wherever bubblewrap works the kernel shows it nothing else either: no network, no process, no file of anybody.
 */
export function confinement(): Confinement {
  return (known ??= find());
}

function find(): Confinement {
  const node = realpathSync(process.execPath);
  const own = fileURLToPath(import.meta.url);
  const folder = realpathSync(dirname(own));
  const addon = addonPath();
  const flags = [
    "--permission",
    // The isolate itself is an addon; no other file that it could load can be read.
    "--allow-addons",
    "--disable-warning=SecurityWarning",
    `--allow-fs-read=${folder}`,
    `--allow-fs-read=${addon}`,
  ];
  const words = [...flags, join(folder, `process${extname(own)}`), addon];
  const apart = bubblewrap(node, [folder, addon]);
  const probe = spawnSync(apart[0] as string, [...apart.slice(1), node, ...flags, "--eval", ""], {
    env: { PATH: SYSTEM_PATH },
    stdio: "ignore",
    cwd: "/",
    timeout: PROBE_TIMEOUT_MS,
  });
  if (probe.status !== 0) return { ...bounded(BOUNDS, [node, ...words]), isInNamespaces: false };
  return { ...bounded(BOUNDS, [...apart, node, ...words]), isInNamespaces: true };
}

function bubblewrap(node: string, readable: readonly string[]): readonly string[] {
  const shown = [...LIBRARIES.filter((path) => existsSync(path)), node, ...readable];
  return [
    "bwrap",
    "--unshare-user",
    "--unshare-all",
    "--uid",
    "65534",
    "--gid",
    "65534",
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--clearenv",
    "--setenv",
    "TZ",
    "UTC",
    "--hostname",
    "isolate",
    ...shown.flatMap((path) => ["--ro-bind", path, path]),
    "--dev",
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    "/",
  ];
}

/** Where `isolated-vm` has its native module for this Node.js: built here, or prebuilt inside the package. */
export function addonPath(): string {
  const folder = dirname(realpathSync(createRequire(import.meta.url).resolve("isolated-vm")));
  const built = join(folder, "build/Release/isolated_vm.node");
  if (existsSync(built)) return built;
  const libc = process.platform !== "linux" ? "" : existsSync("/etc/alpine-release") ? ".musl" : ".glibc";
  return join(folder, `prebuilds/${process.platform}-${process.arch}/isolated-vm.abi${process.versions.modules}${libc}.node`);
}
