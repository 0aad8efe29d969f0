import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Processes in another view of the machine's mounts that keep a run's layers in use after they were unmounted here. A `copy` is a view that
 * somebody made of this one while they were mounted (`unshare --mount`, `bwrap --ro-bind / /`, a container that just starts): it shows them and does not work with them. A `sandbox`
 * shows the overlay without its layers: it is the run's own, and may write.
 */
export type ImageHolder = { readonly kind: "copy" | "sandbox"; readonly processes: readonly number[]; readonly name: string };

/**
 * `device` is that of the file system that the image holds, as mountinfo names it ("7:0"), and is somebody's as long as it is attached (null: there is no image). `overlay` is the name of the view that was made of
 * it (null: not known), and not its device: that number is another mount's as soon as this one is gone.
 */
export function holdersOf(device: string | null, overlay: string | null): readonly ImageHolder[] {
  const own = readlinkSync("/proc/self/ns/mnt");
  return [...processesByView()].flatMap(([view, processes]): readonly ImageHolder[] => {
    const mounted = view === own ? [] : mountedIn(processes);
    const isCopy = mounted.some((mount) => mount.device === device);
    const isSandbox = overlay !== null && mounted.some(({ type, source }) => type === "overlay" && source === overlay);
    const kind = isCopy ? "copy" : isSandbox ? "sandbox" : null;
    return kind === null ? [] : [{ kind, processes, name: nameOf(processes) }];
  });
}

/** Kills it; who looks for holders again sees whether it went. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // EPERM: somebody else's, who looks around in a sandbox.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

function processesByView(): ReadonlyMap<string, readonly number[]> {
  const views = new Map<string, number[]>();
  for (const name of readdirSync("/proc")) {
    const view = /^\d+$/u.test(name) ? whileItLives(() => readlinkSync(`/proc/${name}/ns/mnt`)) : null;
    if (view !== null) views.set(view, [...(views.get(view) ?? []), Number(name)]);
  }
  return views;
}

type Mounted = { readonly device: string; readonly type: string; readonly source: string };

/** What is mounted, as the first of the processes that still has a view sees it (proc(5), mountinfo: field 3 is the device; type and source follow a lone dash). */
function mountedIn(processes: readonly number[]): readonly Mounted[] {
  for (const pid of processes) {
    const text = whileItLives(() => readFileSync(`/proc/${String(pid)}/mountinfo`, "utf8"));
    if (text !== null) return text.split("\n").map(mountOf);
  }
  return [];
}

function mountOf(line: string): Mounted {
  const [mount = "", fileSystem = ""] = line.split(" - ");
  const [type = "", source = ""] = fileSystem.split(" ");
  return { device: mount.split(" ")[2] ?? "", type, source };
}

function nameOf([pid]: readonly number[]): string {
  const command = whileItLives(() => readFileSync(`/proc/${String(pid)}/comm`, "utf8").trim());
  return `process ${String(pid)} (${command ?? "ended"})`;
}

/** Null for a process that has ended (EINVAL: it waits for its parent to see it), or is another user's. */
function whileItLives<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EINVAL", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
