import { readFileSync } from "node:fs";

/**
 * Names a process so that no later process is mistaken for it: `PID:START`, where START is the
 * process's start time in clock ticks since boot (field 22 of /proc/PID/stat, proc(5)).
 */
export function ownerOf(pid: number): string | null {
  const startTime = startTimeOf(pid);
  return startTime === null ? null : `${String(pid)}:${startTime}`;
}

/** Whether the process that `owner` names still lives. What cannot be understood counts as dead: nobody could end it. */
export function isOwnerAlive(owner: string): boolean {
  const match = /^(\d+):(\d+)$/.exec(owner);
  return match !== null && startTimeOf(Number(match[1])) === match[2];
}

function startTimeOf(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw error;
  }
  // The second field is the program's name in brackets and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie runs nothing any more and holds nothing open.
  return fields[0] === "Z" ? null : (fields[19] ?? null);
}
