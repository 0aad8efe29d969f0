import type { Statement } from "./parse.ts";
import type { Flow, State } from "./state.ts";
import { afterFlow, flowOf, mergeStates } from "./state.ts";
import { visitStatements } from "./statements.ts";
import type { Scope, Walk } from "./walk.ts";

/** Expansions in braces that fail with no value: none of a part, of another variable, of an operator that a parameter may not have (`${?^}`, `${1=x}`). */
const CERTAIN = /#?(?:[A-Za-z_]\w*|\d+|[@*?$!#-])\}|[A-Za-z_]\w*(?:[-+=?#%/^,]|:[-+=?]|@[QEPAaKkULu]\})|(?:\d+|[@*])(?:[-+?#%/^,]|:[-+?]|@[QEPAaKkULu]\})/;
/** Expansions that fail with some values: arithmetic, subscripts, and what is not certain. */
const MAY_FAIL = new RegExp(`\\$\\(\\(|\\$\\[|\\w\\[|\\$\\{(?!${CERTAIN.source})`);

/** What makes other things fail: names that take no assignment, numbers, patterns that match nothing. */
const LETS_FAIL = /\breadonly\b|\bfailglob\b|\b(?:declare|typeset|local)\s+-\w*[ir]|\b(?:E?UID|PPID|SHELLOPTS|BASH\w*)\+?=/;

/**
 * Reads the statements of a text line by line. Where an expansion fails, bash leaves out the rest of its line and goes on with the next:
 * behind `: $((1/0)); x=a` nothing is assigned.
 */
export function visitLines(scope: Scope, statements: readonly Statement[], state: State): Flow {
  const { walk } = scope;
  const { text } = scope.source;
  let flow = flowOf(state);
  let before = state;
  let at = 0;
  const all = `${walk.text}\n${text}`;
  const failsAnywhere = LETS_FAIL.test(all);
  const failsInFunctions = MAY_FAIL.test(all);
  for (const line of linesOf(text, statements)) {
    before = afterFlow(flow, before);
    const { shifts } = walk;
    flow = visitStatements(scope, line.statements, before);
    const mayFail = failsAnywhere || (failsInFunctions && hasFunctions(walk)) || MAY_FAIL.test(text.slice(at, line.end));
    at = line.end;
    if (!mayFail) continue;
    const stopped = walk.shifts === shifts ? before : { ...before, positional: { ...before.positional, words: null } };
    flow = { success: flow.success, failure: mergeStates(flow.failure, stopped) };
  }
  return flow;
}

type Line = { readonly statements: Statement[]; /** Where the next one begins: here-documents belong to the line that they stand behind. */ end: number };

function linesOf(text: string, statements: readonly Statement[]): readonly Line[] {
  const lines: Line[] = [];
  let end = -1;
  for (const statement of statements) {
    const last = lines.at(-1);
    if (last === undefined || endsLine(text.slice(end, statement.pos))) {
      if (last !== undefined) last.end = statement.pos;
      lines.push({ statements: [statement], end: text.length });
    } else last.statements.push(statement);
    ({ end } = statement);
  }
  return lines;
}

/** Whether a line ends between two statements: not where it is continued, unless the backslash stands in a comment. */
function endsLine(between: string): boolean {
  return (between.includes("#") ? between : between.replaceAll("\\\n", "")).includes("\n");
}

/** A function may fail wherever it is called. */
function hasFunctions({ assumptions, found }: Walk): boolean {
  return assumptions.functions.size > 0 || (found.noted?.functions.size ?? 0) > 0;
}
