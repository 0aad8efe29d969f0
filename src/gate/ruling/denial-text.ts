import type { Decision } from "../../policy/decision.ts";
import type { ToolResult } from "../../tools/contract/tool.ts";

/** What the model is told of a denial: the rules and the reason, then what would be allowed instead. Two lines, as every refusal here. */
export function denialText(decision: Decision): string {
  const [deciding, ...others] = decision.rules.filter((rule) => rule.verdict === "deny");
  const further = others.filter((rule) => rule.id !== deciding?.id).map((rule) => rule.id);
  const also = further.length > 0 ? ` Also denied by: ${further.join(", ")}.` : "";
  const problem = `Denied by rule ${deciding?.id ?? "unknown"}: ${decision.reason}${also}`;
  return decision.instead === undefined ? problem : `${problem}\nAllowed instead: ${decision.instead}`;
}

/** A person's no, in words that cannot be taken for a rule's. */
export function refusalText(answer: { readonly message?: string | null; readonly wasRemembered: boolean }): string {
  const said =
    answer.message === undefined || answer.message === null || answer.message === ""
      ? ""
      : ` They said: ${/[.!?]$/u.test(answer.message) ? answer.message : `${answer.message}.`}`;
  const again = answer.wasRemembered ? " They refused it before in this run, so they were not asked again." : "";
  return `Refused by a person.${again}${said}\nDo not try it again in another form; do something else, or finish and say what is missing.`;
}

/** Nobody's answer: no person said no. */
export function nobodyText(rule: string, reason: string): string {
  return `Not run: rule ${rule} needs a person's approval, and nobody answered (${reason}). No person refused it.\nDo something that needs no approval, or finish and say what is missing.`;
}

/** A result in Warder's own words. */
export function errorResult(text: string, details: Readonly<Record<string, unknown>> = {}): ToolResult {
  return { content: [{ kind: "text", text }], isError: true, label: "trusted", details };
}
