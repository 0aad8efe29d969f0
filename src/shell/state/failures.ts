import type { State } from "./state.ts";
import { mergeStates } from "./state.ts";
import type { Scope } from "./walk.ts";

/**
 * Expansions in braces that never fail, whatever the value. Others may: a part of a value, a variable named by another, an operator that the
 * parameter may not have (`${?^}`, `${1=x}`), and an assignment, which some variables refuse.
 */
const CERTAIN =
  /^\$\{(?:#?(?:[A-Za-z_]\w*|\d+|[@*?$!#-])\}|[A-Za-z_]\w*(?:[-+?#%/^,]|:[-+?]|@[QEPAaKkULu]\})|(?:\d+|[@*])(?:[-+?#%/^,]|:[-+?]|@[QEPAaKkULu]\}))/;

/** Variables of bash that take no assignment from its start. */
const READ_ONLY = /^(?:E?UID|PPID|SHELLOPTS|BASH\w*)$/;

/** Whether an expansion in braces, as it is written, fails with some values. */
export function mayFail(expansion: string): boolean {
  return !CERTAIN.test(expansion);
}

/** Whether an assignment to the variable fails. */
export function isReadOnly(name: string): boolean {
  return READ_ONLY.test(name);
}

/** Arrays of bash to which it assigns no list, without a word about it. */
const NO_LIST = /^(?:FUNCNAME|GROUPS)$/;

/** Whether a list that is assigned to the variable ends the line, also where a builtin is given it. */
export function takesNoList(name: string): boolean {
  return NO_LIST.test(name) || isReadOnly(name);
}

/** Notes what holds where something may fail that makes bash leave out the rest of the line, in all functions that it stands in. */
export function noteStop({ walk }: Pick<Scope, "walk">, state: State): void {
  walk.stopped = mergeStates(walk.stopped, state);
}
