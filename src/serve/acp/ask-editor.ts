import { randomInt } from "node:crypto";
import type { PermissionOption, RequestPermissionResponse, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { titleOf, yesForRun } from "../../approvals/card-text.ts";
import type { ApprovalAnswer, ApprovalCard } from "../../approvals/card.ts";
import type { ApprovalChannel, ChannelEnd } from "../../approvals/channel.ts";
import { newWord } from "../../approvals/terminal/confirmation-word.ts";
import { wholeCard } from "../../approvals/whole-card.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { codeBlock } from "../text/markdown.ts";
import { hunkIn } from "./shown-call.ts";
import { diffContent, textContent } from "./updates.ts";

/** What the editor is to show, and what may be chosen. */
export type Permission = { readonly toolCall: ToolCallUpdate; readonly options: PermissionOption[] };

/** Shows it, and gives what was chosen. Throws when it was not shown, or the signal fired. */
export type AskEditor = (permission: Permission, signal: AbortSignal) => Promise<RequestPermissionResponse>;

/** Who answers: the protocol tells nobody's name. */
const BY = "editor";
const COLUMNS = 100;
/** A card that nobody would read to its end there is answered where it can be paged through. */
const MAX_CARD_CHARACTERS = 16_000;
const MAX_CHOICE_CHARACTERS = 200;
/** Beside the word that the card shows. */
const OTHER_WORDS = 3;

type Choice = { readonly name: string; readonly kind: PermissionOption["kind"]; readonly end: ChannelEnd };

/** The editor's person answers questions, within what a click can say. `callOf`: the call that asked. */
export function editorChannel(ask: AskEditor, callOf: (approvalId: string) => string | null): ApprovalChannel {
  return {
    name: "editor",
    ask: async (card, signal) => {
      const { hint, choices } = choicesFor(card);
      const options = choices.map(({ name, kind }, index) => ({ optionId: String(index), name, kind }));
      const call = callOf(card.approvalId);
      const shown = call === null ? { toolCallId: card.approvalId, title: titleFor(card) } : { toolCallId: call };
      const { outcome } = await ask({ toolCall: { ...shown, status: "pending", content: contentOf(card, hint) }, options }, signal);
      if (outcome.outcome !== "selected") return { kind: "nobody", reason: "the editor answered with no choice" };
      const index = options.findIndex(({ optionId }) => optionId === outcome.optionId);
      return choices[index]?.end ?? { kind: "nobody", reason: "the editor chose what was not offered" };
    },
  };
}

/** The editor's person is told of questions, and answers them elsewhere. */
export function elsewhereChannel(tell: (text: string) => Promise<void>): ApprovalChannel {
  return {
    name: "editor",
    ask: async ({ approvalId }) => {
      await tell(`A question waits for your answer at a terminal: warder approvals grant ${approvalId}`);
      return { kind: "told" };
    },
  };
}

/** What may be chosen about a card, and what is said below it. */
export function choicesFor(card: ApprovalCard): { readonly hint: string; readonly choices: readonly Choice[] } {
  const { approvalId, needsCode, needed, question, wantsWord } = card;
  const elsewhere = `Answer it at a terminal: warder approvals grant ${approvalId}`;
  const no: Choice = { name: "Refuse", kind: "reject_once", end: { kind: "refused", scope: "once", by: BY } };
  if (needsCode || needed > 1 || wholeText(card).length > MAX_CARD_CHARACTERS) return { hint: elsewhere, choices: [no] };
  if (question !== undefined) {
    const answers = question.choices.filter((text) => text.length <= MAX_CHOICE_CHARACTERS);
    return {
      hint: `${answers.length === 0 ? "" : "Choose an answer. For one of your own: "}${elsewhere}`,
      choices: [...answers.map((words): Choice => ({ name: makeVisibleLine(words), kind: "allow_once", end: yes({ words }) })), { ...no, name: "No answer" }],
    };
  }
  if (wantsWord) return wordChoices(no);
  const forRun = yesForRun(card, BY);
  const once: Choice = { name: "Allow once", kind: "allow_once", end: yes() };
  const run: readonly Choice[] = forRun === null ? [] : [{ name: `Allow ${forRun.what} until the run ends`, kind: "allow_always", end: forRun.answer }];
  return { hint: "", choices: [once, ...run, no] };
}

/** An editor types no word: it is chosen among others. Whoever takes the first or the last yes unread has taken a wrong one. */
function wordChoices(no: Choice): { readonly hint: string; readonly choices: readonly Choice[] } {
  const words = new Set<string>();
  while (words.size <= OTHER_WORDS) words.add(newWord());
  const all = [...words];
  const right = all[randomInt(1, all.length - 1)] ?? "";
  const wrong: ChannelEnd = { kind: "nobody", reason: "another word was chosen than the card shows" };
  const choices = all.map((word): Choice => ({ name: word, kind: "allow_once", end: word === right ? yes() : wrong }));
  return { hint: `It leaves the sandbox, or cannot be undone. To allow it once, choose this word: ${right}`, choices: [...choices, no] };
}

function yes(said: { readonly words?: string } = {}): ApprovalAnswer {
  return { kind: "granted", scope: "once", by: BY, ...said };
}

function titleFor(card: ApprovalCard): string {
  return titleOf(card).replaceAll("=", "").trim();
}

function wholeText(card: ApprovalCard): string {
  return wholeCard(card, COLUMNS).join("\n");
}

function contentOf(card: ApprovalCard, hint: string): NonNullable<ToolCallUpdate["content"]> {
  const text = wholeText(card);
  const shown = text.length > MAX_CARD_CHARACTERS ? "It is too long to be shown here." : text;
  const hunk = card.change === null ? null : hunkIn(card.change.diff, card.change.path);
  return [...(hunk === null ? [] : [diffContent(hunk.diff)]), textContent(codeBlock(hint === "" ? shown : `${hint}\n\n${shown}`))];
}
