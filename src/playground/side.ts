import { compilePolicy, type PolicySource } from "../policy/compiling/compile.ts";
import { expiryHints } from "../policy/compiling/expiry-hints.ts";
import { ownerHints } from "../policy/compiling/owner-hints.ts";
import { programHints } from "../policy/compiling/program-hints.ts";
import { ruleHints } from "../policy/compiling/rule-hints.ts";
import { readPolicyDocument } from "../policy/language/document.ts";
import type { Policy } from "../policy/policy.ts";
import { errorAt, type PolicyDiagnostic } from "../policy/text/diagnostic.ts";
import { PLACES, STATE_DIRECTORY } from "./places.ts";

/** What is wrong with a policy, or worth a look. 1-based. */
export type Message = {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
};

export type Side = { readonly policy: Policy | null; readonly messages: readonly Message[] };

/** As many as a person reads. */
const MAX_MESSAGES = 20;

/** Compiles a text with the shipped policies that it extends. */
export function compileSide(file: string, text: string, { shipped, nowMs }: { readonly shipped: ReadonlyMap<string, string>; readonly nowMs: number }): Side {
  const sources = chainOf(file, text, shipped);
  if ("problem" in sources) return { policy: null, messages: [message(sources.problem)] };
  const result = compilePolicy(sources.chain, { ...PLACES, stateDirectory: STATE_DIRECTORY });
  if (result.kind === "refused") return { policy: null, messages: result.diagnostics.slice(0, MAX_MESSAGES).map(message) };
  const warnings = [
    ...result.warnings,
    ...expiryHints(result.policy, nowMs),
    ...ruleHints(result.policy),
    ...programHints(result.policy),
    ...ownerHints(result.policy),
  ];
  return { policy: result.policy, messages: warnings.slice(0, MAX_MESSAGES).map(message) };
}

function chainOf(
  file: string,
  text: string,
  shipped: ReadonlyMap<string, string>,
): { readonly chain: readonly PolicySource[] } | { readonly problem: PolicyDiagnostic } {
  const chain: PolicySource[] = [];
  let [name, source] = [file, text];
  for (;;) {
    const reading = readPolicyDocument(name, source);
    chain.push({ file: name, text: source, reading });
    const parent = "diagnostics" in reading ? undefined : reading.document.extends;
    if (parent === undefined || "diagnostics" in reading) return { chain };
    const parentText = shipped.get(parent);
    if (parentText === undefined)
      return {
        problem: errorAt(reading.text.at(["extends"]), `This page does not know the policy ${parent}.`, {
          remedy: `Extend one of the shipped policies: ${[...shipped.keys()].join(", ")}. \`warder policy effective\` makes one file of a policy and all that it extends.`,
        }),
      };
    [name, source] = [`policies/${parent}.yaml`, parentText];
  }
}

function message({ severity, message: what, why, remedy, at }: PolicyDiagnostic): Message {
  return { severity, file: at.file, line: at.line, column: at.column, text: [what, why, remedy].filter((text) => text !== "").join(" ") };
}
