import { quoteArgv } from "../../shell/render.ts";
import { locate, showPath } from "../contract/location.ts";
import type { ToolSetting } from "../contract/tool.ts";

/** What is taken of a sub-agent by a command of the run's own, which is judged as any other. */
export type MergedByCommand = {
  readonly delete?: readonly string[] | undefined;
  readonly remove_directories?: readonly string[] | undefined;
  readonly links?: readonly { readonly path: string; readonly to: string }[] | undefined;
  readonly executable?: readonly string[] | undefined;
  readonly not_executable?: readonly string[] | undefined;
};

/** A path that a call names, and under which name. `to`: where a link leads. */
export type Wanted = { readonly path: string; readonly as: keyof MergedByCommand | "write"; readonly to?: string };

/** `done`: what is told of it once it is done, a line each. */
type MergeCommand = { readonly text: string; readonly done: readonly string[] };

export function namedIn({ delete: deleted = [], links = [], ...more }: MergedByCommand): readonly Wanted[] {
  return [
    ...deleted.map((path): Wanted => ({ path, as: "delete" })),
    ...(["remove_directories", "executable", "not_executable"] as const).flatMap((as) => (more[as] ?? []).map((path): Wanted => ({ path, as }))),
    ...links.map(({ path, to }): Wanted => ({ path, as: "links", to })),
  ];
}

/** All of it as one command, which ends at the first that fails and replaces nothing that it does not name. Null: there is nothing to do. */
export function commandOf({ delete: deleted = [], links = [], ...more }: MergedByCommand, setting: ToolSetting): MergeCommand | null {
  const part = (argv: readonly string[], paths: readonly string[], done: string): readonly MergeCommand[] => {
    if (paths.length === 0) return [];
    const located = paths.map((path) => locate(path, setting));
    return [{ text: quoteArgv([...argv, ...located]), done: located.map((path) => `${done} ${showPath(path, setting)}`) }];
  };
  const parts = [
    ...part(["rm", "--"], deleted, "Deleted"),
    ...part(["rmdir", "--"], more.remove_directories ?? [], "Removed"),
    ...links.flatMap(({ path, to }) => part(["ln", "-sT", "--", to], [path], "Linked")),
    ...part(["chmod", "+x", "--"], more.executable ?? [], "Executable"),
    ...part(["chmod", "-x", "--"], more.not_executable ?? [], "Not executable"),
  ];
  return parts.length === 0 ? null : { text: parts.map(({ text }) => text).join(" && "), done: parts.flatMap(({ done }) => done) };
}
