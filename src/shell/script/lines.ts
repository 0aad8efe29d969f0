import type { Statement } from "../text/parse.ts";
import type { Flow, State } from "../state/state.ts";
import { afterFlow, flowOf, mergeStates } from "../state/state.ts";
import { visitStatements } from "./statements.ts";
import type { Scope } from "../state/walk.ts";

/**
 * Reads the statements of a text line by line. If an expansion fails, bash skips the rest of the line and continues with the next:
 * `: $((1/0)); x=a` assigns nothing. The state at each place that may fail was noted while the line was read.
 */
export function visitLines(scope: Scope, statements: readonly Statement[], state: State): Flow {
  const { walk } = scope;
  const { stopped } = walk;
  let flow = flowOf(state);
  let before = state;
  for (const line of linesOf(scope.source.text, statements)) {
    before = afterFlow(flow, before);
    walk.stopped = null;
    flow = visitStatements(scope, line, before);
    flow = { success: flow.success, failure: mergeStates(flow.failure, walk.stopped) };
  }
  walk.stopped = stopped;
  return flow;
}

function linesOf(text: string, statements: readonly Statement[]): readonly (readonly Statement[])[] {
  if (statements.length === 1) return [statements];
  const lines: Statement[][] = [];
  let end = -1;
  for (const statement of statements) {
    const last = lines.at(-1);
    if (last === undefined || endsLine(text.slice(end, statement.pos))) lines.push([statement]);
    else last.push(statement);
    ({ end } = statement);
  }
  return lines;
}

/** Whether a line ends between two statements: not where it is continued, unless the backslash stands in a comment. */
function endsLine(between: string): boolean {
  return (between.includes("#") ? between : between.replaceAll("\\\n", "")).includes("\n");
}
