import { makeVisibleLine, visibleJson } from "../base/text.ts";
import { toolDigest, type ServerTool } from "./server.ts";

/** How a server's tools differ from those that a person confirmed. */
export type ToolChange =
  | { readonly kind: "added" | "gone"; readonly tool: string }
  /** `what`: which parts of it are others, each with a line before and after. */
  | { readonly kind: "changed"; readonly tool: string; readonly what: readonly PartChange[] };

export type PartChange = { readonly part: "description" | "inputSchema" | "annotations"; readonly before: string; readonly after: string };

const PARTS = ["description", "inputSchema", "annotations"] as const;
const MAX_SHOWN = 300;

/** Names in order. What is refused on sight counts as gone. */
export function changesOf(confirmed: readonly ServerTool[], now: readonly ServerTool[]): readonly ToolChange[] {
  const before = new Map(confirmed.map((tool) => [tool.name, tool]));
  const after = new Map(now.map((tool) => [tool.name, tool]));
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((tool): readonly ToolChange[] => {
    const [was, is] = [before.get(tool), after.get(tool)];
    if (was === undefined || is === undefined) return [{ kind: was === undefined ? "added" : "gone", tool }];
    return toolDigest(was) === toolDigest(is) ? [] : [{ kind: "changed", tool, what: partsOf(was, is) }];
  });
}

function partsOf(was: ServerTool, is: ServerTool): readonly PartChange[] {
  return PARTS.flatMap((part) => {
    const [before, after] = [textOf(was[part]), textOf(is[part])];
    return before === after ? [] : [{ part, ...around(before, after) }];
  });
}

const textOf = (part: unknown): string => (typeof part === "string" ? makeVisibleLine(part) : visibleJson(part));

/** From a little before the first difference on. */
function around(before: string, after: string): { readonly before: string; readonly after: string } {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const from = Math.max(0, same - 40);
  const cut = (text: string): string => `${from > 0 ? "…" : ""}${text.slice(from, from + MAX_SHOWN)}${text.length > from + MAX_SHOWN ? "…" : ""}`;
  return { before: cut(before), after: cut(after) };
}

const NAMES: Readonly<Record<PartChange["part"], string>> = { description: "description", inputSchema: "schema", annotations: "annotations" };

/** One change in a line, without what the server says. */
export function changeText(change: ToolChange, names = NAMES): string {
  if (change.kind !== "changed") return change.kind === "added" ? `${change.tool} is new` : `${change.tool} is gone`;
  return `${change.tool} has another ${change.what.map(({ part }) => names[part]).join(" and other ")}`;
}
