import type { ApprovalAnswer, ApprovalCard, CardDifference } from "./card.ts";

/** What an effect is, in a few words of the card's own. */
const EFFECT_WORDS: Readonly<Record<string, string>> = {
  reads: "reads",
  writes: "writes files",
  deletes: "deletes files",
  history: "changes a repository's history or index",
  connects: "connects to a host",
  sends: "sends data out",
  remembers: "is remembered",
  schedules: "makes a job",
  invokes: "calls a foreign tool",
  "runs-code": "runs code",
  publishes: "publishes",
  remote: "acts on another machine",
  processes: "acts on processes",
  persists: "stays behind",
  privilege: "takes privileges",
  system: "changes the system",
  secrets: "reads secrets",
  unknown: "runs an unknown program",
  undecidable: "does what nobody can tell before",
};

/** What stands over a card. */
export function titleOf(card: ApprovalCard): string {
  return card.question === undefined ? `=== Allow this? ${askedFor(card)} ===` : "=== A question to you: your answer allows nothing ===";
}

/** `medium risk: runs code, writes files`: what is asked about, in the card's own words. */
function askedFor(card: ApprovalCard): string {
  const kinds = new Set(card.effects.flatMap((effect) => /^ask: ([a-z-]+): /u.exec(effect)?.[1] ?? []));
  const words = [...kinds].flatMap((kind) => EFFECT_WORDS[kind] ?? []);
  return `${card.risk} risk${words.length === 0 ? "" : `: ${words.join(", ")}`}`;
}

/** What will happen: the commands, the change of a file, or the tool with its arguments. */
export function whatHappens(card: ApprovalCard): readonly string[] {
  const { change, commands, question, tool, writes } = card;
  if (question !== undefined) return [question.text, ...question.choices.map((choice, index) => `${String(index + 1)}: ${choice}`)];
  if (change !== null)
    return [...(writes.length === 0 ? [change.path] : writes).map((path) => `${change.isNew ? "new file" : "change of"} ${path}`), ...commands];
  return commands.length > 0 ? commands : [tool, ...argumentsOf(card)];
}

/** The arguments a line each, texts as they are and not as JSON; none of them twice on a card. */
export function argumentsOf({ input, commands, change }: ApprovalCard): readonly string[] {
  const value: unknown = JSON.parse(input);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [input];
  return Object.entries(value).flatMap(([key, each]) => {
    if (typeof each !== "string") return [`${key}: ${JSON.stringify(each)}`];
    if (key === "command" && commands.length === 1 && commands[0] === each) return [];
    if (change !== null && key !== "path") return [];
    return each.includes("\n") ? [`${key}:`, ...each.split("\n").map((line) => `    ${line}`)] : [`${key}: ${each}`];
  });
}

/** Why it is asked again: what an earlier yes was for, and that something is another. */
export function askedAgain({ by, atMs, isVoided, lines }: CardDifference): string {
  const when = `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (isVoided) return `Asked again: the answer of ${when} (${by}) is VOID, because it changed since:`;
  if (lines.length === 0) return `Asked again: the last yes, of ${when} (${by}), was for that call alone. Nothing is another.`;
  return `Asked again: since the last yes, of ${when} (${by}), this is another:`;
}

/** What a command loads may be another one each time: that a person wants these words for the run is said by a pattern without an open word. */
function isOfExactWords({ grant }: ApprovalCard): boolean {
  return grant?.kind === "command" && !grant.pattern.includes("*");
}

/** A yes until the run ends, and for what: null where an answer may hold for this call alone. */
export function yesForRun(card: ApprovalCard, by: string): { readonly answer: ApprovalAnswer; readonly what: "this command" | "exactly this" } | null {
  if (!isLasting(card)) return null;
  if (!isOfExactWords(card)) return { answer: { kind: "granted", scope: "this-run", by }, what: "exactly this" };
  return { answer: { kind: "granted", scope: "pattern", by, period: { kind: "run" } }, what: "this command" };
}

/** Whether an answer may hold for more than this call. */
export function isLasting({ risk, needsCode }: ApprovalCard): boolean {
  return risk !== "high" && !needsCode;
}
