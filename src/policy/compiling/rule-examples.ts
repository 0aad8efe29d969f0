import { analyseCommand } from "../../shell/analyse.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import { compileRule, coversCommand, speaksAbout, viewCommand } from "../matching/command-rules.ts";
import type { PolicyContext } from "../language/path-expansion.ts";
import type { StatedRule } from "../language/statement.ts";

/** A rule's `match` and `not-match` examples that do not hold. */
export function exampleProblems(rules: readonly StatedRule[], context: PolicyContext): PolicyDiagnostic[] {
  return rules.flatMap((rule) => [
    ...rule.match
      .filter(({ value }) => !isExampleOf(rule, value, context))
      .map(({ value, at }) => errorAt(at, `The rule \`${rule.id}\` does not speak about its \`match\` example ${JSON.stringify(value)}.`, WHY)),
    ...rule.notMatch
      .filter(({ value }) => isExampleOf(rule, value, context))
      .map(({ value, at }) => errorAt(at, `The rule \`${rule.id}\` speaks about its \`not-match\` example ${JSON.stringify(value)}.`, WHY)),
  ]);
}

const WHY = { why: "The examples say what the rule is meant to do.", remedy: "Change the words of the rule or the example." };

/**
 * An allow rule speaks about a text when it covers every simple command of it and nothing is undecidable, redirected or
 * assigned; an ask or deny rule when it may match one of them.
 */
export function isExampleOf(rule: StatedRule, text: string, context: PolicyContext): boolean {
  const analysis = analyseCommand(text, { cwd: context.workspace, home: context.home });
  const compiled = compileRule(rule);
  if (rule.verdict !== "allow") return analysis.simples.some((simple) => speaksAbout(compiled, simple, viewCommand(simple)));
  if (analysis.undecidable.length > 0 || analysis.simples.length === 0) return false;
  return analysis.simples.every((simple) => coversCommand(compiled, simple) && simple.redirections.every(({ effect }) => effect === "duplicate"));
}
