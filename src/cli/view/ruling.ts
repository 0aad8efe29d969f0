import { relative } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import type { Decision, RuleVoice } from "../../policy/decision.ts";
import { todoCount, todosIn } from "../../tools/contract/todo-list.ts";
import { paint, paintVerdict } from "./style.ts";

/** `deny · high · forbidden-path (policies/base.yaml:12)`: what was decided, the risk, and every rule that spoke. */
export function rulingText(decision: Decision): string {
  const rules = decision.rules.filter((rule) => rule.verdict === decision.verdict).map(ruleText);
  return `${paintVerdict(decision.verdict)} ${paint("dim", `· ${decision.risk} · ${rules.join(", ")}`)}`;
}

/** A rule's id, with file and line when it stands in a policy file. */
export function ruleText(rule: RuleVoice): string {
  return rule.at === undefined ? rule.id : `${rule.id} (${shortPath(rule.at.file)}:${rule.at.line})`;
}

/** A path as a person at this directory would write it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return makeVisibleLine(short !== "" && !short.startsWith("..") ? short : path);
}

/** What a call is about, in one line: its command, else its path, else its list or its arguments. */
export function callText(input: unknown): string {
  const todos = todosIn(input);
  if (todos !== null) return todoCount(todos);
  if (typeof input === "object" && input !== null) {
    for (const key of ["command", "path", "pattern"]) {
      const value = (input as Record<string, unknown>)[key];
      if (typeof value === "string") return makeVisibleLine(value);
    }
  }
  return makeVisibleLine(JSON.stringify(input) ?? "");
}
