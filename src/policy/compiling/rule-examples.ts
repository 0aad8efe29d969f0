import { analyseCommand } from "../../shell/analyse.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import { compileRule, coversCommand, speaksAbout, viewCommand } from "../matching/command-rules.ts";
import { oncePerGroup } from "../matching/rule-words.ts";
import type { PolicyContext } from "../language/path-expansion.ts";
import type { StatedRule } from "../language/statement.ts";

/** A rule's `match` and `not-match` examples that do not hold. */
export function exampleProblems(rules: readonly StatedRule[], context: PolicyContext): PolicyDiagnostic[] {
  return oncePerGroup(rules).flatMap((rule) => {
    if (rule.match.length + rule.notMatch.length === 0) return [];
    const all = rule.group === undefined ? [rule] : rules.filter(({ at }) => at === rule.at);
    return [
      ...rule.match
        .filter(({ value }) => !isExampleOf(all, value, context))
        .map(({ value, at }) => errorAt(at, `The rule \`${rule.id}\` does not speak about its \`match\` example ${JSON.stringify(value)}.`, WHY)),
      ...rule.notMatch
        .filter(({ value }) => isExampleOf(all, value, context))
        .map(({ value, at }) => errorAt(at, `The rule \`${rule.id}\` speaks about its \`not-match\` example ${JSON.stringify(value)}.`, WHY)),
    ];
  });
}

const WHY = { why: "The examples say what the rule is meant to do.", remedy: "Change the words of the rule or the example." };

/**
 * An allow rule speaks about a text when it covers every simple command of it and nothing is undecidable, redirected or
 * assigned; an ask or deny rule when it may match one of them.
 */
function isExampleOf(rules: readonly StatedRule[], text: string, context: PolicyContext): boolean {
  const analysis = analyseCommand(text, { cwd: context.workspace, home: context.home });
  const compiled = rules.map(compileRule);
  if (rules.some(({ verdict }) => verdict !== "allow"))
    return analysis.simples.some((simple) => compiled.some((rule) => speaksAbout(rule, simple, viewCommand(simple))));
  if (analysis.undecidable.length > 0 || analysis.simples.length === 0) return false;
  return analysis.simples.every(
    (simple) => compiled.some((rule) => coversCommand(rule, simple)) && simple.redirections.every(({ effect }) => effect === "duplicate"),
  );
}
