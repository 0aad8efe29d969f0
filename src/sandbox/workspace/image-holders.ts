import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Processes in another view of the machine's mounts that keep a run's layers in use after they were unmounted here. A `copy` is a view that
 * somebody made of this one while they were mounted (`unshare --mount`, `bwrap --ro-bind / /`, a container that just starts): it shows them and does not work with them. A `sandbox`
 * shows the overlay without its layers: it is the run's own, and may write.
 */
export type ImageHolder = { readonly kind: "copy" | "sandbox"; readonly processes: readonly number[]; readonly name: string };

/** `device` of the file system that the image holds, `overlay` of the view that is made of it (null: not known), as mountinfo names them ("7:0"). */
export function holdersOf(device: string, overlay: string | null): readonly ImageHolder[] {
  const own = readlinkSync("/proc/self/ns/mnt");
  return [...processesByView()].flatMap(([view, processes]): readonly ImageHolder[] => {
    const mounted = view === own ? [] : mountedIn(processes);
    const kind = mounted.includes(device) ? "copy" : overlay !== null && mounted.includes(overlay) ? "sandbox" : null;
    return kind === null ? [] : [{ kind, processes, name: nameOf(processes) }];
  });
}

function processesByView(): ReadonlyMap<string, readonly number[]> {
  const views = new Map<string, number[]>();
  for (const name of readdirSync("/proc")) {
    const view = /^\d+$/u.test(name) ? whileItLives(() => readlinkSync(`/proc/${name}/ns/mnt`)) : null;
    if (view !== null) views.set(view, [...(views.get(view) ?? []), Number(name)]);
  }
  return views;
}

/** The devices of what is mounted (proc(5), mountinfo: field 3), as the first of the processes that still has a view sees it. */
function mountedIn(processes: readonly number[]): readonly string[] {
  for (const pid of processes) {
    const text = whileItLives(() => readFileSync(`/proc/${String(pid)}/mountinfo`, "utf8"));
    if (text !== null) return text.split("\n").map((line) => line.split(" ")[2] ?? "");
  }
  return [];
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
