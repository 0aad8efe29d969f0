import type { ApprovalCard } from "./card.ts";
import { foreignCharacters, ownRows, PLAIN, quote, quoteDiff, type Paint } from "./card-rows.ts";
import { argumentsOf, askedAgain, titleOf, whatHappens } from "./card-text.ts";

/**
 * All that an answer is bound to, in rows of at most `columns`. Nothing is left out or shortened: long text goes on in further rows, each with
 * the mark, because a terminal that wraps by itself would start a row without it.
 */
export function wholeCard(card: ApprovalCard, columns: number, paint: Paint = PLAIN): readonly string[] {
  const rows: string[] = [];
  const own = (line: string): void => void rows.push(...ownRows(line, columns));
  const quoted = (label: string, texts: readonly string[]): void => {
    if (texts.length === 0) return;
    own(`${label}:`);
    for (const text of texts) rows.push(...quote(text, columns));
  };
  own(titleOf(card));
  if (card.differs !== null) {
    own(askedAgain(card.differs));
    for (const line of card.differs.lines) rows.push(...quote(line, columns));
  }
  quoted(card.question !== undefined ? "It asks" : card.commands.length > 1 ? "It would run, one after the other" : "It would", whatHappens(card));
  if (card.change !== null) rows.push(...quoteDiff(card.change.diff, columns, paint));
  if (card.commands.length > 0 || card.change !== null) {
    quoted("Asked for by the tool", [card.tool]);
    quoted("with the arguments", argumentsOf(card));
  }
  if (card.pointless !== null) own(`A yes would likely come to nothing: ${card.pointless}`);
  quoted("In directory", [card.cwd]);
  quoted(
    "With variables",
    Object.entries(card.env).map(([name, value]) => `${name}=${value}`),
  );
  quoted("Reads", card.reads);
  quoted("Writes", card.change !== null && card.writes.every((path) => path === card.change?.path) ? [] : card.writes);
  quoted("Connects to", card.hosts);
  quoted("Runs, or is configured by", card.inputs);
  quoted("Effects", card.effects);
  quoted("Contained", card.containment);
  quoted("The model was given before", card.seen ?? []);
  if (card.together.length > 0) {
    own(`Asked together with ${card.together.length} more of this turn, each answered by itself:`);
    for (const { approvalId, risk, what } of card.together) rows.push(...quote(`${approvalId} (${risk} risk): ${what}`, columns));
  }
  quoted(
    "Asked by",
    card.asked.map((rule) => `${rule.id} (${rule.at}): ${rule.reason}`),
  );
  if (card.grant !== null) {
    quoted(card.grant.kind === "command" ? "A pattern of commands" : "A pattern of files written", [card.grant.pattern]);
    if (card.grantExamples !== null) {
      quoted("covers, for example", [card.grantExamples.covers]);
      quoted("and does not cover", [card.grantExamples.leaves]);
    }
    quoted("It holds only in", [card.grant.place]);
    quoted("and for these effects alone, never at high risk", card.grant.effects);
  }
  if (card.job !== undefined)
    own(`May be answered for each run of the job ${card.job.name}: exactly this, as long as the job and all that this is bound to are what they are.`);
  const foreign = foreignCharacters(card);
  if (foreign.length > 0) own(`Not ASCII above (look-alikes are possible): ${foreign.join(" ")}`);
  if (card.needed > 1)
    own(
      `Needs the yes of ${card.needed} different persons, each with a code of their own. Two names are two persons because those enrolled before vouched for it.`,
    );
  if (card.needsCode) own("Needs a one-time code.");
  if (card.asker !== undefined) quoted(`Asked for by a sub-agent of ${card.asker.parent}, whose task is`, [card.asker.task]);
  quoted("Run, policy, image, ruling", [card.runId, card.policyDigest, card.imageDigest, card.rulingDigest]);
  own(`Expires: ${new Date(card.expiresAtMs).toISOString()}`);
  own(`Approval: ${card.approvalId}`);
  return rows;
}
