import { makeVisible } from "../../base/text.ts";
import type { ApprovalCard } from "../card.ts";
import { foreignCharacters } from "../card-rows.ts";

/** How the answer may be given over HTTP: `POST url` with the token as bearer, which is added as the message goes out and stored nowhere. */
export type AnswerInvitation = { readonly method: "POST"; readonly url: string; readonly expiresAt: string };

/** A card for other eyes than a terminal's. */
export type SharedCard = {
  readonly card: Readonly<Record<string, unknown>>;
  /** False when anything was cut or taken out: then nobody can decide by it alone. */
  readonly isWhole: boolean;
};

const MAX_TEXT_CHARACTERS = 8_000;
const MAX_ENTRIES = 200;
const MAX_BODY_CHARACTERS = 64_000;
const MAX_SUMMARY_CHARACTERS = 200;

/**
 * What leaves this machine of a card: secrets taken out by `redact`, hidden characters made visible, each text and list bounded, and the whole. Digests and
 * identifiers stay as they are.
 */
export function sharedCard(card: ApprovalCard, redact: (text: string) => string): SharedCard {
  const { grantKey: _inner, ...shown } = card;
  const sharing = { isWhole: true, redact };
  const bounded = boundedValue({ ...shown, expiresAt: new Date(card.expiresAtMs).toISOString(), notAscii: foreignCharacters(card) }, sharing);
  if (JSON.stringify(bounded).length <= MAX_BODY_CHARACTERS) return { card: bounded as Readonly<Record<string, unknown>>, isWhole: sharing.isWhole };
  const { approvalId, runId, rulingDigest, policyDigest, risk, needed, needsCode } = card;
  return { card: { approvalId, runId, rulingDigest, policyDigest, risk, needed, needsCode }, isWhole: false };
}

/** The body of a message about a question: `type`, `timestamp` and `data` as the Standard Webhooks specification recommends. */
export function questionBody(
  shared: SharedCard,
  about: { readonly atMs: number; readonly isParked: boolean; readonly answer: AnswerInvitation | null },
): string {
  const { card, isWhole } = shared;
  return JSON.stringify({
    type: "approval.requested",
    timestamp: new Date(about.atMs).toISOString(),
    data: { summary: summaryOf(card), isWhole, isParked: about.isParked, card, answer: about.answer },
  });
}

/** The same body with the token in it, where it invites to answer. */
export function withToken(body: string, token: () => string): { readonly body: string; readonly invites: boolean } {
  const message = JSON.parse(body) as { readonly data: { readonly answer: AnswerInvitation | null } };
  const { answer } = message.data;
  if (answer === null) return { body, invites: false };
  return { body: JSON.stringify({ ...message, data: { ...message.data, answer: { ...answer, token: token() } } }), invites: true };
}

function summaryOf(card: Readonly<Record<string, unknown>>): string {
  const commands = Array.isArray(card["commands"]) ? card["commands"].map(String) : [];
  const what = commands.length > 0 ? commands.join("; ") : typeof card["input"] === "string" ? card["input"] : "see the card";
  const text = `${changeIn(card["differs"])}${String(card["risk"])} risk: ${what}`.replaceAll("\n", " ");
  return text.length <= MAX_SUMMARY_CHARACTERS ? text : `${text.slice(0, MAX_SUMMARY_CHARACTERS).toWellFormed()}…`;
}

/** As a card at a terminal does, it begins with what is not as it was when a person said yes last. */
function changeIn(differs: unknown): string {
  const lines: unknown = typeof differs === "object" && differs !== null && "lines" in differs ? differs.lines : null;
  return Array.isArray(lines) && lines.length > 0
    ? `changed since the last yes (${String(lines[0])}${lines.length > 1 ? `, and ${lines.length - 1} more` : ""}): `
    : "";
}

type Sharing = { isWhole: boolean; readonly redact: (text: string) => string };

function boundedValue(value: unknown, sharing: Sharing): unknown {
  if (typeof value === "string") return boundedText(value, sharing);
  if (Array.isArray(value)) {
    const kept: unknown[] = value.slice(0, MAX_ENTRIES).map((entry) => boundedValue(entry, sharing));
    if (value.length <= MAX_ENTRIES) return kept;
    sharing.isWhole = false;
    return [...kept, `[${value.length - MAX_ENTRIES} more]`];
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) sharing.isWhole = false;
  return Object.fromEntries(entries.slice(0, MAX_ENTRIES).map(([key, entry]) => [boundedText(key, sharing), boundedValue(entry, sharing)]));
}

function boundedText(text: string, sharing: Sharing): string {
  const wellFormed = text.toWellFormed();
  const redacted = sharing.redact(wellFormed);
  if (redacted !== wellFormed) sharing.isWhole = false;
  const visible = makeVisible(redacted);
  if (visible.length <= MAX_TEXT_CHARACTERS) return visible;
  sharing.isWhole = false;
  return `${visible.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()}[${visible.length - MAX_TEXT_CHARACTERS} more characters]`;
}
