import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { openedLocks, refLocks } from "./locks.ts";
import type { HeldLock, NoteLocks } from "../../sandbox/workspace/repository/noted.ts";
import { isWithin } from "../../sandbox/workspace/scan/roots.ts";

// The person's own git, in their repository: with their configuration and hooks, of which nothing comes from the run. Only a hook that lies in the
// workspace does not run: the run's own may have landed there a moment ago.

export type PersonGit = {
  run(args: readonly string[], input?: Buffer | string | Readable, noteLocks?: NoteLocks): Promise<PersonGitEnd>;
  /** Begins to move refs: nothing has moved yet, and nobody else can move them. A text says why that cannot be. */
  prepare(message: string, commands: string, noteLocks: NoteLocks): Promise<RefTransaction | string>;
};

/** A file that git reads. */
type Readable = { readonly fd: number };

export type PersonGitEnd = { readonly isDone: boolean; readonly stdout: string; /** One line that may be shown. */ readonly complaint: string };

export type ProgramEnd = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** Refs that are held. Each of these ends it. */
export type RefTransaction = { /** Why nothing moved, or null. */ commit(): Promise<string | null>; abort(): Promise<void> };

/** The hooks of what a landing does. */
const HOOKS = ["reference-transaction", "post-index-change"];

/** A hook of the person's may take long. */
const MAX_MS = 10 * 60_000;
/** Characters that are kept of what a program prints. */
const MAX_PRINTED = 64 * 1024;

/** Landing starts no other program: not to look for changed files, nor to clean up. */
const SETTINGS = ["core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"];

/** How long git waits for the lock of a ref, of the list of packed ones, and of all refs where they lie in tables. */
const WAITS = ["core.filesRefLockTimeout", "core.packedRefsTimeout", "reftable.lockTimeout"];

/** A repository on the host. */
export type PersonsRepository = {
  readonly directory: string;
  /** Of its worktree. */ readonly top: string;
  /** What the run could write. */ readonly workspace: string;
};

/** `waitMs`: how long it waits for refs that somebody else's git holds; otherwise as long as any git of the person's. */
export async function personGit(repository: PersonsRepository, waitMs: number | null = null): Promise<PersonGit> {
  const settings = [...SETTINGS, ...(waitMs === null ? [] : WAITS.map((name) => `${name}=${String(waitMs)}`))];
  const plain = gitWith(repository, settings);
  const found = await plain.run(["rev-parse", "--path-format=absolute", "--git-path", "hooks"]);
  const isRunnable = found.isDone && !HOOKS.some((name) => isOfWorkspace(`${found.stdout.trimEnd()}/${name}`, repository));
  return isRunnable ? plain : gitWith(repository, [...settings, "core.hooksPath=/dev/null"]);
}

/** The same for a push, with all hooks: nothing of a run landed before it, so they are what any push of the person's would run. */
export function pushingGit(repository: PersonsRepository): PersonGit {
  return gitWith(repository, [...SETTINGS, "log.showSignature=false"]);
}

/** Starts a program of the person's as their git is started, with `path` to find others by; what it printed, or null for what did not start. */
export async function runBeside(repository: PersonsRepository, argv: readonly string[], path: string): Promise<ProgramEnd> {
  const [program = "", ...words] = argv;
  const { env, owner } = identityFor(repository);
  const child = spawn(program, words, {
    cwd: repository.top,
    env: { ...env, PATH: path },
    ...owner,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: MAX_MS,
    killSignal: "SIGKILL",
  });
  const printed = { stdout: "", stderr: "" };
  child.stdout.on("data", (part: Buffer) => (printed.stdout = (printed.stdout + part.toString()).slice(-MAX_PRINTED)));
  child.stderr.on("data", (part: Buffer) => (printed.stderr = (printed.stderr + part.toString()).slice(-MAX_PRINTED)));
  return await new Promise((resolve) => {
    child.on("error", (error) => {
      resolve({ ...printed, stderr: error.message, exitCode: null });
    });
    child.on("close", (exitCode) => {
      resolve({ ...printed, exitCode });
    });
  });
}

/** In the workspace, and not in the repository itself, where nothing of a run lands. */
function isOfWorkspace(path: string, { directory, workspace }: PersonsRepository): boolean {
  const real = realOf(path);
  return real !== null && isWithin(real, workspace) && !isWithin(real, realOf(directory) ?? directory);
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function gitWith(repository: PersonsRepository, settings: readonly string[]): PersonGit {
  const { env, owner } = identityFor(repository);
  const start = (args: readonly string[], input: "pipe" | number = "pipe"): ChildProcessWithoutNullStreams =>
    spawn("git", [...settings.flatMap((setting) => ["-c", setting]), ...args], {
      cwd: repository.top,
      env,
      ...owner,
      stdio: [input, "pipe", "pipe"],
      timeout: MAX_MS,
      killSignal: "SIGKILL",
    }) as ChildProcessWithoutNullStreams;
  return {
    run: async (args, input = "", noteLocks) => {
      const isFile = typeof input === "object" && "fd" in input;
      const child = start(args, isFile ? input.fd : "pipe");
      const complaint = complaintsOf(child);
      const parts: Buffer[] = [];
      child.stdout.on("data", (part: Buffer) => parts.push(part));
      const ended = once(child, "close") as Promise<[number | null]>;
      if (!isFile) {
        child.stdin.on("error", () => undefined);
        const fault = noteLocks === undefined ? null : noteFault(noteLocks, await openedLocks(child.pid ?? 0, () => child.exitCode !== null));
        // Told nothing, it changes nothing, and gives its locks back.
        child.stdin.end(fault === null ? input : "");
        if (fault !== null) {
          await ended;
          return { isDone: false, stdout: "", complaint: fault };
        }
      }
      const [status] = await ended;
      return { isDone: status === 0, stdout: Buffer.concat(parts).toString(), complaint: complaint() };
    },
    prepare: async (message, commands, noteLocks) => {
      const child = start(["update-ref", "--no-deref", "--create-reflog", "-m", message, "--stdin"]);
      const complaint = complaintsOf(child);
      const ended = once(child, "close") as Promise<[number | null]>;
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      child.stdin.on("error", () => undefined);
      const said = async (command: string): Promise<boolean> => {
        const line = await lines.next();
        return line.done !== true && line.value === `${command}: ok`;
      };
      const finish = async (command: string): Promise<boolean> => {
        child.stdin.end(`${command}\n`);
        const isOk = await said(command);
        const [status] = await ended;
        return isOk && status === 0;
      };
      child.stdin.write(`start\n${commands}prepare\n`);
      if (!(await said("start")) || !(await said("prepare"))) {
        child.stdin.end();
        await ended;
        return complaint();
      }
      const fault = noteFault(noteLocks, refLocks(repository.directory, commands, child.pid ?? 0));
      if (fault !== null) {
        await finish("abort");
        return fault;
      }
      return {
        commit: async () => ((await finish("commit")) ? null : complaint()),
        abort: async () => void (await finish("abort")),
      };
    },
  };
}

/** Why the locks that git holds could not be written down, or null: then it must not go on, as a kill would leave them. */
function noteFault(noteLocks: NoteLocks, locks: readonly HeldLock[]): string | null {
  try {
    noteLocks(locks);
    return null;
  } catch (error) {
    if (error instanceof AgentError) return error.message;
    throw error;
  }
}

function complaintsOf(child: ChildProcessWithoutNullStreams): () => string {
  let text = "";
  child.stderr.on("data", (part: Buffer) => (text = (text + part.toString()).slice(-8192)));
  return () => {
    const lines = text.trim().split("\n");
    return makeVisibleLine(lines.findLast((line) => /^(?:fatal|error):/u.test(line)) ?? lines.at(-1) ?? "git ended.").slice(0, 300);
  };
}

type Identity = { readonly env: NodeJS.ProcessEnv; readonly owner: { readonly uid?: number; readonly gid?: number } };

/** What root lands in somebody's workspace is that person's: git runs as them. */
function identityFor({ directory, top }: PersonsRepository): Identity {
  const env: NodeJS.ProcessEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_") || name.startsWith("GIT_CONFIG_")));
  Object.assign(env, { GIT_DIR: directory, GIT_WORK_TREE: top, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" });
  const { uid, gid } = statSync(top);
  if (process.getuid?.() !== 0 || uid === 0) return { env, owner: {} };
  Object.assign(env, accountOf(uid));
  return { env, owner: { uid, gid } };
}

function accountOf(uid: number): NodeJS.ProcessEnv {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((entry) => entry.split(":"))
    .find(([, , id]) => id === String(uid));
  const [name = "nobody", , , , , home = "/nonexistent"] = line ?? [];
  return { HOME: home, USER: name, LOGNAME: name, XDG_CONFIG_HOME: `${home}/.config` };
}
