/** Seconds, below every agent's limit, within which the line answers by itself. */
const LINE_SECONDS = 15;
export const AGENT_SECONDS = 20;

/**
 * The command line of a hook: whatever keeps it from answering (no Warder, a crash, a kill, a hang) ends it with the code that blocks the call, and with
 * a word on standard error, without which some agents go on.
 */
export function closingLine(warder: string, words: readonly string[]): string {
  return `${answering(warder, words)} || { [ $? = 2 ] || echo 'Warder did not answer, so this call is denied. Check it: warder hook doctor' >&2; exit 2; }`;
}

/** The line of a hook that records only: whatever becomes of it, the agent goes on. */
export function watchingLine(warder: string, words: readonly string[]): string {
  return `${answering(warder, words)} || exit 0`;
}

function answering(warder: string, words: readonly string[]): string {
  return `timeout -k 1 ${String(LINE_SECONDS)} ${[warder, "hook", ...words].map(quoted).join(" ")}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether a command line starts this agent's hook. */
export function isOurs(line: string, agent: string): boolean {
  return new RegExp(String.raw`(?:\bwarder|\bmain\.[jt]s)'? hook ${agent}(?=$|[ '])`, "u").test(line);
}
