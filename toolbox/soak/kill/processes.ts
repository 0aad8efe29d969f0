import { readdirSync, readFileSync } from "node:fs";

/** A process of this machine as /proc has it (proc(5)). */
export type Process = { readonly pid: number; readonly parent: number; readonly session: number; readonly command: string };

/** All processes that run; those that end meanwhile are left out, and so are zombies. */
export function processes(): readonly Process[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? processOf(name) : []));
}

function processOf(pid: string): readonly Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return state === "Z" ? [] : [{ pid: Number(pid), parent: Number(parent), session: Number(session), command }];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return [];
    throw error;
  }
}

/** The shims of an engine, by what stands in its command lines. */
export function shimsOf(mark: string): readonly Process[] {
  return processes().filter(({ command }) => /(?:^|\/)containerd-shim/u.test(command) && command.includes(mark));
}

/** The first processes of the containers of an engine. */
export function supervisorsOf(mark: string): readonly Process[] {
  const shims = new Set(shimsOf(mark).map(({ pid }) => pid));
  return processes().filter(({ parent, command }) => shims.has(parent) && command.startsWith("/.warder/supervisor"));
}
