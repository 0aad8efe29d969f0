import type { SourcePosition } from "../decision.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import { isWithin } from "../matching/paths.ts";
import type { PolicyContext } from "../language/path-expansion.ts";
import type { Access } from "../policy.ts";
import type { StatedRoot } from "../language/statement.ts";

/** The roots that both lists open, each with the lesser access. An absent list bounds nothing. `isCut` is called for each root of the child that lost something. */
export function intersectRoots(
  parent: readonly StatedRoot[] | null,
  child: readonly StatedRoot[] | null,
  isCut: (at: SourcePosition, parentAt: SourcePosition) => void,
): readonly StatedRoot[] | null {
  if (parent === null || child === null) return child ?? parent;
  const roots = new Map<string, StatedRoot>();
  for (const root of [...child, ...parent]) {
    if (roots.has(root.path)) continue;
    const access = lesser(accessAt(parent, root.path), accessAt(child, root.path));
    if (access !== null) roots.set(root.path, { ...root, access });
    if (child.includes(root) && access !== root.access) isCut(root.at, (parent[0] ?? root).at);
  }
  return [...roots.values()];
}

function accessAt(roots: readonly StatedRoot[], path: string): Access | null {
  const holding = roots.filter((root) => isWithin(path, root.path)).toSorted((one, other) => other.path.length - one.path.length);
  return holding[0]?.access ?? null;
}

function lesser(one: Access | null, other: Access | null): Access | null {
  if (one === null || other === null) return null;
  return one === "read" || other === "read" ? "read" : "read-write";
}

/** Roots that would hand over the machine, or Warder itself. */
export function rootProblems(roots: readonly StatedRoot[], context: PolicyContext): PolicyDiagnostic[] {
  const problems: PolicyDiagnostic[] = [];
  for (const [index, root] of roots.entries()) {
    const refuse = (message: string, remedy = "Name the directories that the work needs."): void => {
      problems.push(errorAt(root.at, message, { why: "Whoever can change it is no longer bound by the policy.", remedy }));
    };
    if (roots.findIndex((other) => other.path === root.path) !== index) refuse(`The root ${root.path} is stated twice.`, "Remove one of them.");
    if (root.path === "/") refuse("`/` cannot be a root.");
    else if (isWithin(root.path, context.stateDirectory)) refuse(`The root ${root.path} lies in Warder's state.`);
    else if (["/proc", "/sys", "/dev"].some((place) => isWithin(root.path, place))) refuse(`The root ${root.path} is no directory of files.`);
    else if (root.access === "read-write") {
      const held = ["/etc", "/proc", "/tmp", context.home, context.stateDirectory].find((place) => isWithin(place, root.path));
      if (held !== undefined)
        refuse(`The root ${root.path} is open for writing and holds ${held}.`, "Work in a directory below it, or give it `access: read`.");
    }
  }
  return problems;
}
