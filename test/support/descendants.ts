import { readdirSync, readFileSync } from "node:fs";

export type Descendant = {
  readonly pid: number;
  readonly command: string;
  /** Whether it is the same process still, and no zombie. */ readonly isThere: () => boolean;
};

type Standing = { readonly parent: number; readonly state: string; readonly startedAt: string };

function standingOf(pid: number): Standing | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // Behind the name, which may have anything in it.
  const [state = "", parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(parent), state, startedAt: rest[17] ?? "" };
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** The processes that a process started, and those that they started. */
export function descendants(of: number): readonly Descendant[] {
  const all = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name))
      .flatMap((name) => {
        const standing = standingOf(Number(name));
        return standing === null ? [] : [[Number(name), standing] as const];
      }),
  );
  const isBelow = (pid: number): boolean => {
    const parent = all.get(pid)?.parent ?? 0;
    return parent === of || (parent > 1 && isBelow(parent));
  };
  return [...all.keys()].filter(isBelow).map((pid) => ({
    pid,
    command: commandOf(pid),
    isThere: () => {
      const now = standingOf(pid);
      return now !== null && now.state !== "Z" && now.startedAt === all.get(pid)?.startedAt;
    },
  }));
}
