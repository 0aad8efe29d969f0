/** A rule of a Makefile, or several lines of rules that name the same targets. */
type Rule = { readonly targets: readonly string[]; readonly prerequisites: readonly string[]; readonly recipe: readonly string[] };

/** More targets than this are not followed: that make runs code is said anyway. */
const MAX_TARGETS = 64;

/**
 * The recipe lines that make runs for `targets` (for the first rule, if there are none), as they are written: first those of the targets
 * that they need. Conditions, includes, functions and make's own rules are not followed, so there may be more.
 */
export function recipesOf(text: string, targets: readonly string[]): string[] {
  const { rules, variables } = readMakefile(text);
  const goal = variables.get(".DEFAULT_GOAL") ?? rules.flatMap((rule) => rule.targets).find((target) => !/^\.[^/]|%/.test(target));
  const lines: string[] = [];
  const visited = new Set<string>();
  const visit = (target: string): void => {
    if (visited.has(target) || visited.size >= MAX_TARGETS) return;
    visited.add(target);
    const found = rules.filter((rule) => rule.targets.some((each) => matches(each, target)));
    for (const rule of found) for (const needed of rule.prerequisites) visit(needed.replace("%", stemOf(rule, target)));
    for (const rule of found) lines.push(...rule.recipe);
  };
  for (const target of targets.length > 0 ? targets : goal === undefined ? [] : [goal]) visit(target);
  return lines;
}

function readMakefile(text: string): { readonly rules: readonly Rule[]; readonly variables: ReadonlyMap<string, string> } {
  const rules: (Rule & { readonly recipe: string[] })[] = [];
  const variables = new Map<string, string>();
  let open: string[] | null = null;
  for (const line of text.replaceAll(/\\\r?\n[ \t]*/g, " ").split(/\r?\n/)) {
    if (line.startsWith("\t")) {
      open?.push(withoutMarks(line));
      continue;
    }
    if (/^\s*(?:#|$)/.test(line)) continue;
    const assigned = /^\s*(?:override\s+|export\s+)*([\w.-]+)\s*(?:::?|[?+!])?=\s*(.*)$/.exec(line);
    const rule = assigned === null ? readRule(line, variables) : null;
    if (assigned !== null) variables.set(assigned[1] ?? "", expand(assigned[2] ?? "", variables));
    // A condition stands between the lines of a recipe as well.
    if (rule === null && /^\s*(?:ifn?(?:eq|def)|else|endif)\b/.test(line)) continue;
    open = rule?.recipe ?? null;
    if (rule !== null) rules.push(rule);
  }
  return { rules: rules.map((rule) => ({ ...rule, recipe: rule.recipe.filter((each) => each !== "") })), variables };
}

function readRule(line: string, variables: ReadonlyMap<string, string>): (Rule & { readonly recipe: string[] }) | null {
  const [head = "", ...inline] = line.split(";");
  const match = /^([^:=]+?)\s*&?::?(?!=)([^=]*)$/.exec(expand(head, variables));
  if (match === null) return null;
  const targets = wordsOf(match[1] ?? "");
  // `%.o: %.c` stands for every target that fits; `a.o b.o: %.o: %.c` for those that are named.
  const prerequisites = wordsOf((match[2] ?? "").replace(/^.*:/, "").replaceAll("|", " "));
  return { targets, prerequisites, recipe: inline.length === 0 ? [] : [withoutMarks(inline.join(";"))] };
}

/** `@`, `-` and `+` before a line say how make runs it. */
function withoutMarks(line: string): string {
  return line.replace(/^[@+\s-]+/, "");
}

/** `$(NAME)` and `${NAME}` of plain variables; anything else becomes nothing. */
function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /\$(?:\(([^()]*)\)|\{([^{}]*)\}|(.))/g,
    (_, round?: string, curly?: string, one?: string) => variables.get(round ?? curly ?? one ?? "") ?? "",
  );
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "" && !word.startsWith("#"));
}

function matches(pattern: string, target: string): boolean {
  const at = pattern.indexOf("%");
  if (at < 0) return pattern === target;
  return target.length >= pattern.length && target.startsWith(pattern.slice(0, at)) && target.endsWith(pattern.slice(at + 1));
}

/** What `%` stands for in the rule's target. */
function stemOf({ targets }: Rule, target: string): string {
  const pattern = targets.find((each) => each.includes("%") && matches(each, target));
  if (pattern === undefined) return target;
  const at = pattern.indexOf("%");
  return target.slice(at, target.length - (pattern.length - at - 1));
}
