import { type CheckParts, checkRequests, refuseQuestion } from "../../../gate/check.ts";
import type { CheckVerdict } from "../../../gate/check-verdict.ts";
import { agentOfEvent, DIALECTS } from "../../../foreign/dialects.ts";
import { isClaudeName, meaningOfClaude } from "../../../foreign/dialects/claude-code.ts";
import type { Arguments, Meaning } from "../../../foreign/meaning.ts";

/** What another agent asks, by its own name for it. `none`: it asks nothing, and why. */
export type ForeignQuestion =
  | { readonly kind: "foreign"; readonly name: string; readonly meaning: Meaning }
  | { readonly kind: "none"; readonly error: string };

/** The event of another agent's hook, as it is. Null: the line is none that is known. `line`: how an error names it. */
export function readForeignEvent(record: Arguments, { setting }: CheckParts, line: string): ForeignQuestion | null {
  const agent = agentOfEvent(record);
  if (agent === null) return null;
  const read = DIALECTS[agent].read(record, setting.home);
  if (read.kind === "call") return { kind: "foreign", name: read.name, meaning: read.meaning };
  return { kind: "none", error: read.kind === "nothing" ? `${line} is an event that asks nothing.` : `${line}: ${read.problem}` };
}

/** A call of another agent's tool by its name there. Null: the name is none that only another agent has. */
export function readForeignCall(name: string, input: Arguments, { setting }: CheckParts): ForeignQuestion | null {
  return isClaudeName(name) ? { kind: "foreign", name, meaning: meaningOfClaude(name, input, setting) } : null;
}

/** As `warder hook` would judge it: nothing contains another agent's call. */
export async function foreignVerdict(parts: CheckParts, { name, meaning }: Extract<ForeignQuestion, { kind: "foreign" }>): Promise<CheckVerdict> {
  const uncontained: CheckParts = { ...parts, containment: "none" };
  if ("problem" in meaning) return refuseQuestion(uncontained, meaning.problem, name);
  return await checkRequests(uncontained, meaning.tool, meaning.requests);
}
