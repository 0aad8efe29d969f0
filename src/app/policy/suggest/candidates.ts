import type { Judgement } from "../../../gate/ruling/judge.ts";
import { openPattern, PLAIN_WORD } from "../../../gate/approval/open-operands.ts";
import { soleOuter } from "../../../gate/approval/grant-coverage.ts";
import type { LoggedCall } from "../backtest/logged-calls.ts";
import type { PreparedCall } from "../backtest/replay.ts";

/** A call that a person was asked about and allowed, and that the policy would still ask about. */
export type OpenQuestion = { readonly call: LoggedCall; readonly prepared: PreparedCall; readonly judgement: Judgement };

/** Words of a rule that might answer questions, and those. */
export type Candidate = { readonly words: string; readonly isOpen: boolean; readonly questions: readonly OpenQuestion[] };

/**
 * Words of rules, those first that answer the most questions. With `*` for operands only where at least two different commands were allowed: one command
 * says nothing of others.
 */
export function candidatesFor(questions: readonly OpenQuestion[]): readonly Candidate[] {
  const texts = questions.map((question) => ({ question, ...wordsOf(question) }));
  const open = groups(texts, ({ open: words }) => words).filter(({ exact }) => new Set(exact).size > 1);
  const exact = groups(texts, ({ exact: words }) => words);
  const all = [...open.map((group) => ({ ...group, isOpen: true })), ...exact.map((group) => ({ ...group, isOpen: false }))];
  return all
    .map(({ words, isOpen, questions: answered }) => ({ words, isOpen, questions: answered }))
    .toSorted((one, other) => other.questions.length - one.questions.length || Number(other.isOpen) - Number(one.isOpen));
}

type Words = { readonly question: OpenQuestion; readonly open: string | null; readonly exact: string | null };

function groups(texts: readonly Words[], key: (words: Words) => string | null): readonly (Candidate & { readonly exact: readonly (string | null)[] })[] {
  return [...Map.groupBy(texts, key)].flatMap(([words, found]) =>
    words === null ? [] : [{ words, isOpen: false, questions: found.map(({ question }) => question), exact: found.map(({ exact }) => exact) }],
  );
}

function wordsOf({ judgement }: OpenQuestion): Omit<Words, "question"> {
  const [request] = judgement.call.requests;
  const simple = request?.kind === "command" ? soleOuter(request.analysis.simples) : null;
  if (simple === null || judgement.call.requests.length > 1) return { open: null, exact: null };
  const words = simple.argv.map((word) => (word.kind === "literal" ? word.value : ""));
  return { open: openPattern(simple), exact: words.every((word) => PLAIN_WORD.test(word)) ? words.join(" ") : null };
}
