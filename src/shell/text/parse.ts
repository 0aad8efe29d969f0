import { forEachChild, parse } from "unbash";
import type { ParsedScript, SyntaxNode } from "unbash";

// The only file that knows the parser. Its tree is used with distrust: see `characters.ts`, `coverage.ts`, `grammar/` and
// `words/expansions.ts` for what it is known to read otherwise than bash does.
export type {
  ArithmeticFor,
  ArrayValue,
  Assignment,
  AnsiCQuotedPart,
  BraceExpansionPart,
  Case,
  Command,
  CommandExpansionPart,
  CommandNode,
  CompoundCommand,
  CompoundList,
  Coproc,
  DoubleQuotedPart,
  For,
  Function as FunctionDefinition,
  HereDoc,
  If,
  LocaleStringPart,
  ParameterExpansionPart,
  ParameterOperation,
  ParsedScript,
  Pipeline,
  PipelineNode,
  ProcessSubstitutionPart,
  Redirect,
  Redirected,
  Redirection as RedirectionNode,
  Select,
  Statement,
  Subshell,
  SyntaxNode,
  TestExpression,
  While,
  Word as WordNode,
  WordPart,
} from "unbash";

/** The syntax tree of a text. Syntax errors stand in `errors`; it may throw when its own recursion is exhausted. */
export function parseScript(text: string): ParsedScript {
  return parse(text);
}

/** Calls `visit` for each direct child of a node. Bodies of substitutions are parsed on first access. */
export function visitChildren(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  forEachChild(node, visit);
}
