import type { CommandHook } from "../hook.ts";
import { isWithin, normalisePath } from "../matching/paths.ts";
import type { Policy } from "../policy.ts";
import type { PolicyContext } from "../language/path-expansion.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";

/** Two hooks of one name, and words of a hook that name what a run could change under it: a run would say what checks it. */
export function hookProblems(
  { hooks = [], workspace }: Pick<Policy, "hooks" | "workspace">,
  { realPath = (path) => path }: Pick<PolicyContext, "realPath">,
): readonly PolicyDiagnostic[] {
  const first = new Map<string, CommandHook>();
  return hooks.flatMap((hook) => {
    const taken = first.get(hook.id);
    if (taken === undefined) first.set(hook.id, hook);
    const changeable = hook.argv.find((word, index) => isChangeable(word, index === 0));
    return [
      ...(taken === undefined
        ? []
        : [
            errorAt(hook.at, `The name \`${hook.id}\` is taken by the hook at ${taken.at.file}:${taken.at.line}.`, {
              why: "The log names hooks.",
              remedy: "Choose another id.",
            }),
          ]),
      ...(changeable === undefined
        ? []
        : [
            errorAt(hook.at, `The hook \`${hook.id}\` names ${JSON.stringify(changeable)}, which a run could change.`, {
              why: "A run would say itself what checks it.",
              remedy: "Write the text as `script`, name a program of the image by its name or absolute path, or keep it in a root with `access: read`.",
            }),
          ]),
    ];
  });

  function isWritable(path: string): boolean {
    const [holding] = workspace.roots.filter((root) => isWithin(path, root.path)).toSorted((one, other) => other.path.length - one.path.length);
    return holding === undefined ? workspace.path !== undefined && isWithin(path, workspace.path) : holding.access === "read-write";
  }

  function isChangeable(word: string, isProgram: boolean): boolean {
    // A program with a relative path would be looked for in the root directory.
    if (!word.startsWith("/")) return isProgram && word.includes("/");
    const path = normalisePath(word);
    return isWritable(path) || isWritable(realPath(path));
  }
}
