import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { makeImageMeanwhile } from "../workspace/mounts/image.ts";
import { ownerName, ownerOf } from "../owner.ts";

/** A sandbox that was started ahead: it has run nothing, and nothing of the host is in it but empty directories. */
export type ReadySandbox = { isAlive(): boolean; /** Idempotent. */ close(): Promise<void> };

export type PoolOptions = {
  /** Below Warder's state, on the file system of the run directories. */
  readonly directory: string;
  /** How long a sandbox waits to be taken. Default: ten minutes. */
  readonly idleMs?: number;
};

/**
 * Sandboxes that are started ahead, for a process that opens many: one for each kind, and two kinds at most, because each is a
 * container with a process in it. They are this process's, labelled and reaped like every other, each taken once.
 */
export type SandboxPool = {
  /** A directory of this process for what a sandbox needs on the host. */
  readonly directory: string;
  /** The sandbox of this kind, which is the caller's now; null where there is none that lives. */
  take(kind: string): Promise<ReadySandbox | null>;
  /** Starts one of this kind, unless one is there or on its way. Where that fails, who comes for it starts a sandbox as if there were no pool. */
  prepare(kind: string, make: () => Promise<ReadySandbox>): void;
  /** Puts an empty file system for a workspace's layers at `path`; false where none is ready. */
  takeImage(path: string): boolean;
  /** Makes one for the next workspace. */
  prepareImage(): void;
  /** Ends what nobody took. Idempotent; afterwards nothing is prepared any more. */
  close(): Promise<void>;
};

const MAX_KINDS = 2;
const IDLE_MS = 10 * 60_000;

type Entry = { readonly made: Promise<ReadySandbox | null>; readonly timer: NodeJS.Timeout };

/** Null for what an engine refused; a fault of ours is one. */
async function attempt(make: () => Promise<ReadySandbox>): Promise<ReadySandbox | null> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof AgentError) return null;
    throw error;
  }
}

/** Made beside and renamed, so that nobody takes half of one. */
async function makeSpareImage(path: string): Promise<void> {
  const unfinished = `${path}.new`;
  try {
    if ((await makeImageMeanwhile(unfinished)) !== null) renameSync(unfinished, path);
  } catch (error) {
    // Who needs one meets the same error and reports it.
    if (!(error instanceof AgentError)) throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** The pool of this process. */
export function openSandboxPool({ directory, idleMs = IDLE_MS }: PoolOptions): SandboxPool {
  const own = join(directory, ownerName(ownerOf(process.pid) ?? ""));
  const image = join(own, "layers.ext4");
  const entries = new Map<string, Entry>();
  const ending = new Set<Promise<void>>();
  let isClosed = false;
  let making: Promise<void> | null = null;
  mkdirSync(own, { recursive: true, mode: 0o700 });

  const drop = (kind: string): void => {
    const entry = entries.get(kind);
    if (entry === undefined) return;
    entries.delete(kind);
    clearTimeout(entry.timer);
    // What cannot be ended now is ended by the reaper, once this process is gone.
    const end = entry.made.then((ready) => ready?.close()).catch(() => undefined);
    ending.add(end);
    void end.finally(() => ending.delete(end));
  };

  return {
    directory: own,
    take: async (kind) => {
      const entry = entries.get(kind);
      if (entry === undefined) return null;
      entries.delete(kind);
      clearTimeout(entry.timer);
      const ready = await entry.made;
      if (ready === null || ready.isAlive()) return ready;
      await ready.close();
      return null;
    },
    prepare: (kind, make) => {
      if (isClosed || entries.has(kind)) return;
      for (const oldest of [...entries.keys()].slice(0, Math.max(0, entries.size - MAX_KINDS + 1))) drop(oldest);
      const timer = setTimeout(() => {
        drop(kind);
      }, idleMs);
      timer.unref();
      const made = attempt(make);
      // Whoever takes it meets the error.
      made.catch(() => undefined);
      entries.set(kind, { made, timer });
    },
    takeImage: (path) => {
      try {
        const { bavail, bsize } = statfsSync(dirname(path));
        // The disk may have filled since: an image is never all that is left.
        if (statSync(image).size > bavail * bsize * 0.9) return false;
        renameSync(image, path);
        return true;
      } catch (error) {
        if (["ENOENT", "EXDEV"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
        throw error;
      }
    },
    prepareImage: () => {
      if (isClosed || making !== null || existsSync(image)) return;
      making = makeSpareImage(image).finally(() => {
        making = null;
      });
    },
    close: async () => {
      isClosed = true;
      for (const kind of entries.keys()) drop(kind);
      await Promise.all([...ending, making]);
      rmSync(own, { recursive: true, force: true });
    },
  };
}
