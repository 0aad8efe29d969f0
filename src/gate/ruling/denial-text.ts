import type { Decision } from "../../policy/decision.ts";
import type { ToolResult } from "../../tools/contract/tool.ts";

/** What the model is told of a denial: the rule, the reason, and what would be allowed instead. */
export function denialText(decision: Decision): string {
  const [deciding, ...others] = decision.rules.filter((rule) => rule.verdict === "deny");
  const lines = [`Denied by rule ${deciding?.id ?? "unknown"}: ${decision.reason}`];
  const further = others.filter((rule) => rule.id !== deciding?.id).map((rule) => rule.id);
  if (further.length > 0) lines.push(`Also denied by: ${further.join(", ")}.`);
  if (decision.instead !== undefined) lines.push(`Allowed instead: ${decision.instead}`);
  return lines.join("\n");
}

/** A person's no, in words that cannot be taken for a rule's. */
export function refusalText(answer: { readonly message?: string | null; readonly wasRemembered: boolean }): string {
  const said =
    answer.message === undefined || answer.message === null || answer.message === ""
      ? ""
      : ` They said: ${/[.!?]$/u.test(answer.message) ? answer.message : `${answer.message}.`}`;
  const again = answer.wasRemembered ? " They refused it before in this run, so they were not asked again." : "";
  return `Refused by a person.${again}${said} Do not try it again in another form; do something else, or finish and say what is missing.`;
}

/** Nobody's answer: no person said no. */
export function nobodyText(rule: string, reason: string): string {
  return `Not run: rule ${rule} wants a person's approval, and nobody was asked successfully (${reason}). No person refused it. Do something that needs no approval, or finish and say what is missing.`;
}

/** A result in Warder's own words. */
export function errorResult(text: string, details: Readonly<Record<string, unknown>> = {}): ToolResult {
  return { content: [{ kind: "text", text }], isError: true, label: "trusted", details };
}
