import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf } from "../../../shared/digest.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const CHECKOUT = fileURLToPath(new URL("../../../..", import.meta.url));

/** Programs that start others: behind their stub stands the real one. `sh` is whatever this machine calls so. */
const REAL = ["bash", "sh", "env", "timeout", "nice", "nohup", "setsid", "xargs", "find", "ionice", "taskset", "stdbuf"] as const;

export const REAL_PROGRAMS: ReadonlySet<string> = new Set(REAL);

/** Whether this machine lets us build a root of our own. */
export function hasBubblewrap(): boolean {
  const [command, words] = asNobody("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "/bin/true"]);
  return spawnSync(command, words, { stdio: "ignore" }).status === 0;
}

/** What `sh` is in a root: whatever this machine calls so, or bash under that name. */
export type Played = "sh" | "bash";

/** A root whose programs are all stubs, built once for each version of its sources. Gives its directory. */
export function buildStubRoot(names: readonly string[], sh: Played = "sh"): string {
  const sources = ["stub.h", "stub.c", "runner.c", "stub-root.ts"].map((name) => readFileSync(join(FOLDER, name), "utf8"));
  const version = digestOf([...sources, ...names.toSorted(), ...REAL.map((name) => findProgram(name) ?? ""), sh]).slice(0, 16);
  const root = join(CHECKOUT, ".tools/fuzz", version);
  if (existsSync(join(root, "usr"))) return root;
  const draft = `${root}.${String(process.pid)}`;
  rmSync(draft, { recursive: true, force: true });
  for (const folder of ["usr/bin", "usr/lib", "usr/lib64", "opt/real"]) mkdirSync(join(draft, folder), { recursive: true });
  compile(["musl-gcc", "gcc", "cc"], ["-static", join(FOLDER, "stub.c")], join(draft, "opt/stub"));
  // The runner lives in bash's own process, so it is built against the C library that bash uses.
  compile(["gcc", "cc"], ["-shared", "-fPIC", join(FOLDER, "runner.c")], join(draft, "opt/runner.so"));
  for (const name of new Set([...names, ...REAL]))
    if (/^[\w.+@[\]-]+$/.test(name) && !/^\.+$/.test(name)) linkSync(join(draft, "opt/stub"), join(draft, "usr/bin", name));
  for (const name of REAL) copyReal(draft, name, name === "sh" ? sh : name);
  renameSync(draft, root);
  return root;
}

/** The command that starts the runner in a namespace without network, capabilities or a way to write outside of it. */
export function runnerCommand(root: string): readonly [string, readonly string[]] {
  const links = ["bin", "sbin", "lib", "lib64"].flatMap((name) => ["--symlink", name === "sbin" ? "usr/bin" : `usr/${name}`, `/${name}`]);
  const places = ["/srv", "/home", "/tmp", "/run/fuzz"].flatMap((place) => ["--tmpfs", place]);
  const system = ["--ro-bind", join(root, "usr"), "/usr", "--ro-bind", join(root, "opt"), "/opt", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"];
  const isolation = ["--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--clearenv", "--die-with-parent", "--new-session", "--as-pid-1"];
  const preload = ["--setenv", "LD_PRELOAD", "/opt/runner.so"];
  // Without the library, bash would end at once with a code of its own.
  return asNobody("bwrap", [...isolation, ...system, ...links, ...places, ...preload, "--remount-ro", "/", "/opt/real/bash", "-c", "exit 72"]);
}

/** Root gives itself up before it enters the namespace, so that the limits on processes hold. */
function asNobody(command: string, words: readonly string[]): readonly [string, readonly string[]] {
  if (process.getuid?.() !== 0) return [command, words];
  return ["setpriv", ["--reuid=54321", "--regid=54321", "--clear-groups", "--", command, ...words]];
}

function compile(compilers: readonly string[], words: readonly string[], target: string): void {
  const compiler = compilers.find((name) => findProgram(name) !== null);
  if (compiler === undefined) throw new Error("no C compiler: install musl-tools and libc6-dev");
  execFileSync(compiler, ["-O2", "-Wall", "-Wextra", "-Werror", ...words, "-o", target], { stdio: ["ignore", "ignore", "inherit"] });
  chmodSync(target, 0o755);
}

/** Copies a real program to a name, and the libraries that it is linked with, but nothing that it could start. */
function copyReal(root: string, name: string, program: string): void {
  const path = findProgram(program);
  if (path === null) return;
  copyFileSync(path, join(root, "opt/real", name));
  const listed = spawnSync("ldd", [path], { encoding: "utf8" });
  for (const [library] of listed.stdout.matchAll(/\/[^\s:]+/g)) {
    const target = join(root, library.startsWith("/usr/") ? library : `/usr${library}`);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(library, target);
    chmodSync(target, 0o755);
  }
}

function findProgram(name: string): string | null {
  for (const folder of ["/usr/bin", "/bin", "/usr/local/bin"]) if (existsSync(join(folder, name))) return join(folder, name);
  return null;
}
