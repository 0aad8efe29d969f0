import { execFileSync, spawn, type ChildProcessByStdio } from "node:child_process";
import { chownSync, closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { connectSupervisor, type SupervisorClient } from "../../../src/sandbox/supervisor/client.ts";
import { seccompFilter } from "../../../src/sandbox/bubblewrap/seccomp.ts";
import type { ConnectOptions } from "../../../src/sandbox/supervisor/connection.ts";

export const sandboxDirectory = join(import.meta.dirname, "../../../sandbox");
export const isRoot = process.getuid?.() === 0;
/** Whom commands run as in these tests. */
export const commandUid = isRoot ? 65_534 : (process.getuid?.() ?? 65_534);
const commandGid = isRoot ? 65_534 : (process.getgid?.() ?? 65_534);

/** Builds both programs when they are older than their sources, and says where the named one is. */
export function builtProgram(name: "warder-supervisor" | "warder-host"): string {
  const part = name === "warder-supervisor" ? "supervisor" : "host";
  execFileSync("sh", [join(sandboxDirectory, part, "build.sh")], { stdio: ["ignore", "inherit", "inherit"] });
  return join(sandboxDirectory, "build", name);
}

export type SupervisorProcess = ChildProcessByStdio<Writable, Readable, null> & { readonly ended: Promise<number | null> };

/** A kernel without a call, as a program finds it: a seccomp filter answers ENOSYS. Calls by bubblewrap, which installs it. */
function withoutCall(name: string): { readonly argv: readonly string[]; readonly filter: number } {
  const folder = mkdtempSync(join(tmpdir(), "warder-filter-"));
  const file = join(folder, "filter");
  const refusal = { names: [name], action: "SCMP_ACT_ERRNO", errnoRet: constants.errno.ENOSYS };
  writeFileSync(file, seccompFilter(process.arch, { defaultAction: "SCMP_ACT_ALLOW", syscalls: [refusal] }));
  const filter = openSync(file, "r");
  rmSync(folder, { recursive: true });
  return { argv: ["bwrap", "--dev-bind", "/", "/", "--cap-add", "ALL", "--die-with-parent", "--seccomp", "3", "--"], filter };
}

/** The real program as PID 1 of a pid namespace of its own, so that its kill(-1) meets only what it started. `lacks`: a system call that its kernel has not. */
export function startSupervisor(options: readonly string[] = [], lacks?: string): SupervisorProcess {
  const user = isRoot ? [] : ["--user", "--map-current-user"];
  const identity = [`--uid=${commandUid}`, `--gid=${commandGid}`];
  const argv = [...user, "--fork", "--pid", "--mount-proc", "--kill-child", builtProgram("warder-supervisor"), ...identity, ...options];
  // As root with groups of root's own, which a command must not have.
  const without = lacks === undefined ? { argv: [], filter: null } : withoutCall(lacks);
  const [program = "", ...rest] = [...without.argv, ...(isRoot ? ["setpriv", "--groups=4,27", "unshare"] : ["unshare"]), ...argv];
  const child = spawn(program, rest, { stdio: ["pipe", "pipe", "inherit", without.filter ?? "ignore"] }) as ChildProcessByStdio<Writable, Readable, null>;
  if (without.filter !== null) closeSync(without.filter);
  // A hostile test writes to a supervisor that may be gone already.
  child.stdin.on("error", () => undefined);
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  return Object.assign(child, { ended });
}

export type Workspace = { readonly path: string; remove(): void };

/** An empty directory that the commands' user owns, at its real path. */
export function makeWorkspace(): Workspace {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "warder-supervisor-")));
  const path = join(parent, "work");
  mkdirSync(path);
  if (isRoot) {
    chownSync(parent, commandUid, commandGid);
    chownSync(path, commandUid, commandGid);
  }
  return { path, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

export type TestSession = { readonly client: SupervisorClient; readonly child: SupervisorProcess; readonly workspace: Workspace; close(): Promise<void> };

/** A connected supervisor with a workspace as its `rw` root, and the whole file system as `ro` root unless `options` name others. */
export async function openSession(options?: readonly string[], connect?: ConnectOptions, lacks?: string): Promise<TestSession> {
  const workspace = makeWorkspace();
  const child = startSupervisor(options ?? [`--root=rw:${workspace.path}`], lacks);
  const client = await connectSupervisor({ readable: child.stdout, writable: child.stdin }, connect);
  const close = async (): Promise<void> => {
    client.close();
    await child.ended;
    workspace.remove();
  };
  return { client, child, workspace, close };
}

/** Runs a script with /bin/sh in a session; 64 KiB of each stream, two minutes. */
export function shell(session: TestSession, script: string, options: { timeoutMs?: number; outputBytes?: number; signal?: AbortSignal } = {}) {
  const { timeoutMs = 120_000, outputBytes = 65_536, signal } = options;
  const request = { argv: ["/bin/sh", "-c", script], cwd: session.workspace.path, env: { PATH: "/usr/bin:/bin" }, timeoutMs, outputBytes };
  return session.client.exec(request, signal === undefined ? {} : { signal });
}
