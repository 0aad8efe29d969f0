import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";

/** As `fdinfo` of proc(5) has it, in octal. */
const CLOSED_ON_EXEC = 0o2000000;

type Others = readonly ("ignore" | number)[];

/**
 * Starts a process that gets no descriptor beyond its standard streams: `start` puts `others` behind these three. Node.js closes what it opened itself, but
 * not what Warder got from whoever started it; the process has `/dev/null` in place of each.
 */
export function withoutInherited<Child>(start: (others: Others) => Child): Child {
  const empty = openSync("/dev/null", "r+");
  try {
    const others: ("ignore" | number)[] = [];
    for (const fd of inherited()) {
      while (others.length + STREAMS < fd) others.push("ignore");
      others.push(empty);
    }
    return start(others);
  } finally {
    closeSync(empty);
  }
}

const STREAMS = 3;

/** Descriptors that a program would get which this process starts, in their order. */
function inherited(): readonly number[] {
  const open = readdirSync("/proc/self/fd").map(Number);
  return open.filter((fd) => fd >= STREAMS && isPassedOn(fd)).toSorted((one, other) => one - other);
}

function isPassedOn(fd: number): boolean {
  let text: string;
  try {
    text = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
  } catch (error) {
    // Closed meanwhile, as that of the list itself is.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  const flags = /^flags:\s*([0-7]+)$/mu.exec(text)?.[1];
  if (flags === undefined) throw new AgentError("broken-invariant", "The kernel does not say which descriptors are passed on.");
  return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
}
