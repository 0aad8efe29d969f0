/** Seconds, below every agent's limit, within which the line answers by itself. */
const LINE_SECONDS = 15;
export const AGENT_SECONDS = 20;

/** How Warder ends in such a line where it has answered. Nothing else ends so, so nothing else is taken for an answer. */
export const ANSWERED = { goOn: 90, block: 92 } as const;
export const IN_LINE = "--in-line";

/**
 * The command line of a hook: whatever keeps Warder from answering (it is gone, crashes, is killed, hangs, or is another program that succeeds) ends it
 * with the code that blocks the call, and with a word on standard error, without which some agents go on. What it printed then is dropped: some agents
 * read it whatever the code is.
 */
export function closingLine(warder: string, words: readonly string[]): string {
  const { goOn, block } = ANSWERED;
  const say = '[ -z "$said" ] || printf \'%s\\n\' "$said"';
  const failed = "echo 'Warder did not answer, so this call is denied. Check it: warder hook doctor' >&2; exit 2";
  return `said=$(${answering(warder, [...words, IN_LINE])}); case $? in ${String(goOn)}) ${say};; ${String(block)}) ${say}; exit 2;; *) ${failed};; esac`;
}

/** The same line where a program that does nothing and succeeds stands in Warder's place. Null: it is no such line. */
export function withoutWarder(line: string): string | null {
  const without = line.replace(/(timeout -k 1 [\d.]+ )(?:(?:'[^']*'|\\'|[^\s'\\])+)(?= hook )/u, "$1true");
  return without === line ? null : without;
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
