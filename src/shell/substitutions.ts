import { readArithmetic } from "./arithmetic.ts";
import { markVisited } from "./coverage.ts";
import { expandBraced } from "./parameters.ts";
import type { ParsedScript, SyntaxNode } from "./parse.ts";
import { visitChildren } from "./parse.ts";
import type { State } from "./state.ts";
import type { Scope } from "./walk.ts";
import { addUndecidable, spanOf, spendNode, within } from "./walk.ts";

type Substitution = { readonly pos: number; readonly end: number; readonly text: string; readonly script: ParsedScript | undefined };

/** Reads the commands of `$(…)`, backticks, `<(…)` or `>(…)`. They run in a subshell: nothing of their state stays. */
export function visitSubstitution(scope: Scope, part: Substitution, state: State): void {
  markVisited(scope, part);
  if (!spendNode(scope, part)) return;
  const span = spanOf(scope, part);
  const isProcess = part.text.startsWith("<") || part.text.startsWith(">");
  // `${ id; }` is a substitution from bash 5.3 on, and `$((id); id)` becomes one only after arithmetic failed.
  if (part.text.startsWith("${") || part.text.startsWith("$((")) addUndecidable(scope, "unsupported-syntax", span);
  // Where the end is missing, the parser and bash do not agree on what the substitution belongs to.
  if (!(part.text.startsWith("`") ? part.text.length > 1 && part.text.endsWith("`") : /[)}]$/.test(part.text))) addUndecidable(scope, "unsupported-syntax", span);
  if (part.script === undefined) {
    addUndecidable(scope, "parse-error", span);
    return;
  }
  const { moves, visitors } = scope.walk;
  const inner = within(scope, isProcess ? "process-substitution" : "command-substitution");
  // Backticks with escapes hold a text of their own, which is read as one more source.
  if (part.script.source === undefined) visitors.visitScript(inner, part.script, state);
  else visitors.visitText(inner, { text: part.script.source, span, dialect: scope.dialect }, state);
  scope.walk.moves = moves;
}

/**
 * Finds and reads the substitutions below a node whose own value does not matter. Nothing below counts as
 * quoted: in `${x['$(id)']}` and `"${x:-'$(id)'}"` bash runs what the quotes seem to protect.
 */
export function visitSubstitutions(scope: Scope, node: SyntaxNode, state: State): void {
  if (!spendNode(scope, node)) return;
  switch (node.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      visitSubstitution(scope, node, state);
      return;
    case "ArithmeticExpansion":
      visitArithmetic(scope, node, state);
      return;
    case "ParameterExpansion":
      expandBraced(scope, node, state);
      return;
    case "DoubleQuoted":
      if (/\$\{[^]*\$'/.test(node.text)) addUndecidable(scope, "uncovered-substitution", spanOf(scope, node));
      break;
    default:
      break;
  }
  visitChildren(node, (child) => visitSubstitutions(scope, child, state));
}

/** `$((…))` and `$[…]`. */
export function visitArithmetic(scope: Scope, node: SyntaxNode & { type: "ArithmeticExpansion" }, state: State): void {
  markVisited(scope, node);
  const text = node.text.startsWith("$((") ? node.text.slice(3, -2) : node.text.slice(2, -1);
  readArithmetic(scope, text, spanOf(scope, node));
  if (node.expression !== undefined && text.includes("$")) visitSubstitutions(scope, node.expression, state);
  else if (node.expression !== undefined && text.includes("`")) visitSubstitutions(scope, node.expression, state);
}
