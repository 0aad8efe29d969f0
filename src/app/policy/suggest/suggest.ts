import type { AuditLog } from "../../../audit/log/log.ts";
import { systemClock } from "../../../base/clock.ts";
import { AgentError } from "../../../base/errors.ts";
import { policyPath, type PolicyFile, readPolicyFile } from "../../../config/policy/files.ts";
import { isShipped } from "../../../config/shipped-policies.ts";
import { checkCommand, type CheckParts, judgeCall } from "../../../gate/check.ts";
import { readRuleWords } from "../../../policy/matching/rule-words.ts";
import type { CommandRule, Policy } from "../../../policy/policy.ts";
import { readForReview } from "../../setup/context.ts";
import { type LoggedCall, loggedCalls, type LogSpan } from "../backtest/logged-calls.ts";
import { type PreparedCall, replayUnder } from "../backtest/replay.ts";
import { overBroadHints } from "../over-broad.ts";
import { type Candidate, candidatesFor, type OpenQuestion } from "./candidates.ts";
import { rulesPatch, type WrittenRule } from "./patch.ts";

const DAY_MS = 86_400_000;
/** A yes of some weeks is no yes for ever. */
const EXPIRES_MS = 90 * DAY_MS;
/** More than anybody reviews at once. */
const MAX_RULES = 20;

/** A rule that would have answered questions which a person answered with yes. */
export type Suggestion = {
  readonly rule: WrittenRule;
  /** How many questions it answers, of how many runs, and when the last was (ISO 8601). */
  readonly questions: number;
  readonly runs: number;
  readonly last: string;
  /** A command that it allows beside those; null: none. */
  readonly alsoAllows: string | null;
  /** A command like it that it does not allow. */
  readonly leaves: string | null;
};

export type Suggestions = {
  readonly policy: string;
  /** Questions that were answered with yes and that the policy would still ask. */
  readonly open: number;
  readonly suggestions: readonly Suggestion[];
  /** Unified diff; null: nothing to add, or no patch can (see `rulesPatch`). */
  readonly patch: string | null;
};

/**
 * The fewest rules that would have answered the questions of the audit log that people answered with yes. Never for what is high risk, never words that
 * would allow something that was refused or denied, never what `policy check` calls over-broad. Each expires. Writes nothing. Throws `usage` for a
 * policy that is shipped.
 */
export async function suggestRules(audit: AuditLog, file: string, span: LogSpan, workspace: string): Promise<Suggestions> {
  const { policy } = readForReview(file, workspace);
  const source = ownFile(file);
  const prepare = replayUnder(file);
  const questions: OpenQuestion[] = [];
  const refused: PreparedCall[] = [];
  for (const call of loggedCalls(audit, span)) {
    const prepared = prepare(call);
    if (typeof prepared === "string") continue;
    if (call.answer === "refused" || call.verdict === "deny") refused.push(prepared);
    else if (call.answer === "granted") questions.push(...(await stillOpen(call, prepared)));
  }
  const suggestions: Suggestion[] = [];
  const added: CommandRule[] = [];
  const answered = new Set<OpenQuestion>();
  for (const candidate of candidatesFor(questions)) {
    const left = candidate.questions.filter((question) => !answered.has(question));
    if (left.length === 0 || suggestions.length === MAX_RULES) continue;
    const found = await tried({ ...candidate, questions: left }, [...policy.commands.rules, ...added], refused);
    if (found === null) continue;
    suggestions.push(found.suggestion);
    added.push(found.rule);
    for (const question of left) answered.add(question);
  }
  const patch =
    suggestions.length === 0
      ? null
      : rulesPatch(
          source,
          suggestions.map(({ rule }) => rule),
        );
  return { policy: policy.name, open: questions.length, suggestions, patch };
}

function ownFile(file: string): PolicyFile {
  const path = policyPath(file, process.cwd());
  if (!isShipped(path)) return readPolicyFile(path, file);
  throw new AgentError("usage", `The policy ${file} is shipped with Warder, and no rule is added to it.`, {
    remedy: `Write a policy of your own that says \`extends: ${file}\`, and name that file.`,
  });
}

async function stillOpen(call: LoggedCall, prepared: PreparedCall): Promise<readonly OpenQuestion[]> {
  const judgement = await judgeCall(prepared.parts, prepared);
  const { verdict, risk } = judgement.decision;
  return verdict === "ask" && risk !== "high" ? [{ call, prepared, judgement }] : [];
}

type Found = { readonly suggestion: Suggestion; readonly rule: CommandRule };

/** The candidate as a rule, if it does what it is for and nothing of what a person or the policy refused. */
async function tried({ words, isOpen, questions }: Candidate, rules: readonly CommandRule[], refused: readonly PreparedCall[]): Promise<Found | null> {
  const read = readRuleWords(words, "allow");
  const first = questions[0];
  if ("fault" in read || first === undefined) return null;
  const rule: CommandRule = { id: idFor(words, rules), verdict: "allow", words: read.words, because: "", at: { file: "suggested", line: 1, column: 1 } };
  for (const { prepared } of questions) if (!(await isAllowed(prepared, rule))) return null;
  for (const prepared of refused) if (await isAllowed(prepared, rule)) return null;
  const parts = withRule(first.prepared.parts, rule);
  const hints = await overBroadHints({ ...parts, policy: onlyRule(parts.policy, rule) });
  if (hints.length > 0) return null;
  const text = words.replaceAll("*", "other");
  const alsoAllows = isOpen && (await checkCommand(parts, text)).decision === "allow" ? text : null;
  // Words whose `*` does not stand for any operand are not what they look like.
  if (isOpen && alsoAllows === null) return null;
  const leaves = await firstLeft(parts, [`${text} --force`, `${text} more`]);
  const times = questions.map(({ call }) => call.atMs);
  const since = new Date(Math.min(...times)).toISOString().slice(0, 10);
  const because = `Asked ${String(questions.length)} times since ${since}, and answered with yes each time.`.replace("1 times", "once");
  const expires = new Date(systemClock.nowMs() + EXPIRES_MS).toISOString().slice(0, 10);
  const suggestion = {
    rule: { id: rule.id, allow: words, because, expires },
    questions: questions.length,
    runs: new Set(questions.map(({ call }) => call.run)).size,
    last: new Date(Math.max(...times)).toISOString(),
    alsoAllows,
    leaves,
  };
  return { suggestion, rule };
}

async function firstLeft(parts: CheckParts, texts: readonly string[]): Promise<string | null> {
  for (const text of texts) if ((await checkCommand(parts, text)).decision !== "allow") return text;
  return null;
}

async function isAllowed({ parts, name, input }: PreparedCall, rule: CommandRule): Promise<boolean> {
  return (await judgeCall(withRule(parts, rule), { name, input })).decision.verdict === "allow";
}

function withRule<Parts extends CheckParts>(parts: Parts, rule: CommandRule): Parts {
  const { policy } = parts;
  return { ...parts, policy: { ...policy, commands: { ...policy.commands, rules: [...policy.commands.rules, rule] } } };
}

/** What the linter is asked about is this rule, and not those that stand in the file. */
function onlyRule(policy: Policy, rule: CommandRule): Policy {
  return { ...policy, commands: { ...policy.commands, rules: policy.commands.rules.filter((each) => each === rule || each.verdict !== "allow") } };
}

/** `git-commit-m`, or the next of that name. */
function idFor(words: string, rules: readonly CommandRule[]): string {
  const plain = words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^[^a-z]+|-+$/gu, "")
    .slice(0, 40)
    .replace(/-$/u, "");
  const base = plain === "" ? "allowed" : plain;
  const taken = new Set(rules.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${String(number)}`;
    if (!taken.has(id)) return id;
  }
}
