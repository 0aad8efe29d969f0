import { makeVisibleLine } from "../base/text.ts";
import type { ApprovalCard, CardDifference } from "./card.ts";

/**
 * What stands before every row of text that a model, a file or a command wrote. The card's own lines never
 * begin with it, and no row of that text is without it: forged text cannot pass for the card's own words.
 */
export const UNTRUSTED_MARK = "  | ";

const MIN_COLUMNS = 20;

/**
 * The card as text for a terminal that is `columns` wide. Nothing is left out or shortened: long text goes
 * on in further rows, each with the mark, because a terminal that wraps by itself would start a row without it.
 */
export function renderCard(card: ApprovalCard, columns: number): string {
  const rows: string[] = [];
  const own = (line: string): void => void rows.push(line);
  const quoted = (label: string, texts: readonly string[]): void => {
    if (texts.length === 0) return;
    own(`${label}:`);
    for (const text of texts) rows.push(...quote(text, columns));
  };
  own(`=== Approval needed: ${card.risk} risk ===`);
  if (card.differs !== null) quoted(differsLabel(card.differs), card.differs.lines);
  quoted("Tool", [card.tool]);
  quoted(card.commands.length === 1 ? "Command, as it will run" : "Commands, as they will run", card.commands);
  quoted("Arguments", [card.input]);
  quoted("In directory", [card.cwd]);
  quoted(
    "With variables",
    Object.entries(card.env).map(([name, value]) => `${name}=${value}`),
  );
  quoted("Reads", card.reads);
  quoted("Writes", card.writes);
  quoted("Connects to", card.hosts);
  quoted("Runs, or is configured by", card.inputs);
  quoted("Effects", card.effects);
  if (card.together.length > 0) {
    own(`Asked together with ${card.together.length} more of this turn, each answered by itself:`);
    for (const { approvalId, risk, what } of card.together) rows.push(...quote(`${approvalId} (${risk} risk): ${what}`, columns));
  }
  own("Asked by:");
  for (const rule of card.asked) rows.push(...quote(`${rule.id} (${rule.at}): ${rule.reason}`, columns));
  quoted("Run, policy, image, ruling", [card.runId, card.policyDigest, card.imageDigest, card.rulingDigest]);
  if (card.grant !== null) {
    quoted(card.grant.kind === "command" ? "Could be granted for longer: commands" : "Could be granted for longer: files written", [card.grant.pattern]);
    quoted("Only in", [card.grant.place]);
    quoted("Only these effects, and never at high risk", card.grant.effects);
  }
  const foreign = foreignCharacters(card);
  if (foreign.length > 0) own(`Not ASCII above (look-alikes are possible): ${foreign.join(" ")}`);
  if (card.needed > 1)
    own(
      `Needs the yes of ${card.needed} different persons, each with a code of their own. Two names are two persons because those enrolled before vouched for it.`,
    );
  if (card.needsCode) own("Needs a one-time code.");
  own(`Expires: ${new Date(card.expiresAtMs).toISOString()}`);
  own(`Approval: ${card.approvalId}`);
  return `${rows.join("\n")}\n`;
}

// What an earlier yes was for is told first: a change in a long card is easily overlooked.
function differsLabel({ approvalId, by, atMs, isVoided }: CardDifference): string {
  const when = new Date(atMs).toISOString();
  const what = isVoided ? "VOID, because it changed since, is the question" : "Differs from what was allowed last,";
  return `${what} ${makeVisibleLine(approvalId)} of ${when} (${makeVisibleLine(by)})`;
}

/** Text of unknown origin in rows, each with {@link UNTRUSTED_MARK} and none wider than `columns`. */
export function quote(text: string, columns: number): readonly string[] {
  const width = Math.max(MIN_COLUMNS, columns - 1) - UNTRUSTED_MARK.length;
  return text.split("\n").flatMap((line) => rowsOf(makeVisibleLine(line), width).map((row) => UNTRUSTED_MARK + row));
}

function rowsOf(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const character of line) {
    // Anything beyond ASCII may take two columns; taking two for all is never too few.
    const needed = character > "~" ? 2 : 1;
    if (used + needed > width) {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += character;
    used += needed;
  }
  rows.push(row);
  return rows;
}

/** The characters beyond ASCII on a card, as `U+0456`: letters of other scripts look like ours. */
export function foreignCharacters(card: ApprovalCard): readonly string[] {
  const texts = [
    card.tool,
    ...card.commands,
    card.input,
    card.cwd,
    ...Object.entries(card.env).flat(),
    ...card.reads,
    ...card.writes,
    ...card.hosts,
    ...card.inputs,
  ];
  const found = new Set(texts.join("").match(/[^\x20-\x7e\n\t]/gu));
  return [...found].map((character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
}
