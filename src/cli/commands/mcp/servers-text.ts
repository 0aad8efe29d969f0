import type { NamedServer } from "../../../app/mcp/trust.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { changeText, type ToolChange } from "../../../mcp/difference.ts";
import type { Catalogue } from "../../../mcp/catalogue.ts";
import type { Pin, ServerTool } from "../../../mcp/server.ts";
import { paint } from "../../view/style.ts";

const MAX_WORDS = 400;

/** A server as the settings name it. */
export function serverText({ server, pin, problem }: NamedServer): string {
  const { name, url, command, image, roots, hosts, env } = server;
  const state =
    problem === null && pin !== null
      ? paint("green", `confirmed, ${String(pin.tools.length)} tools`)
      : paint("yellow", pin === null ? "not confirmed" : "changed since it was confirmed");
  const remote: (readonly [string, string])[] = [
    ["address", url ?? ""],
    ["reaches", ["its own host", ...hosts].join(", ")],
  ];
  const local: (readonly [string, string])[] = [
    ["command", command.join(" ")],
    ["image", image ?? "Warder's own"],
    [
      "sees",
      roots.length === 0
        ? "no directory of this machine"
        : roots.map(({ path, access }) => `${path} (${access === "read" ? "read-only" : "read and write"})`).join(", "),
    ],
    ["reaches", hosts.length === 0 ? "no host" : hosts.join(", ")],
    ["variables", env.length === 0 ? "none" : env.join(", ")],
  ];
  return `${paint("bold", name)}  ${state}\n${(url === undefined ? local : remote).map(([label, text]) => `  ${label.padEnd(10)}${makeVisibleLine(text)}\n`).join("")}`;
}

/** What somebody offers, beside what was confirmed of it. `extra`: a line of a tool beside its words. */
type Seen = {
  readonly pin: Pin | null;
  readonly catalogue: Catalogue;
  readonly changes: readonly ToolChange[];
  readonly extra?: (tool: ServerTool) => string | null;
};

/** Its tools as they are now, or how they differ from those that were confirmed. What it says is shown as its words. */
export function toolsText({ pin, catalogue, changes, extra = claimOf }: Seen): string {
  const told =
    pin === null || changes.length === 0
      ? catalogue.tools.map((tool) => toolText(tool, extra))
      : changes.map((change) => differenceText(change, catalogue.tools, extra));
  const refused = catalogue.refused.map(({ name, reason }) => `  ${paint("red", "not usable")} ${name}: ${reason}\n`);
  return `${pin === null ? "Its tools, in its own words:\n" : "What changed:\n"}${told.join("")}${refused.join("")}`;
}

function claimOf({ annotations }: ServerTool): string | null {
  return Object.keys(annotations).length === 0 ? null : `it claims: ${JSON.stringify(annotations).slice(0, MAX_WORDS)}`;
}

type Extra = NonNullable<Seen["extra"]>;

function toolText(tool: ServerTool, extra: Extra): string {
  const { name, description, inputSchema } = tool;
  const names = Object.keys((inputSchema["properties"] as object | undefined) ?? {});
  const words = makeVisibleLine(description.slice(0, MAX_WORDS));
  const line = extra(tool);
  const more = line === null ? "" : `\n    ${makeVisibleLine(line)}`;
  return `  ${name}(${makeVisibleLine(names.join(", ").slice(0, MAX_WORDS))})\n    ${words}${description.length > MAX_WORDS ? "…" : ""}${more}\n`;
}

function differenceText(change: ToolChange, now: readonly ServerTool[], extra: Extra): string {
  const added = change.kind === "added" ? now.find(({ name }) => name === change.tool) : undefined;
  if (added !== undefined) return `  new:\n${toolText(added, extra)}`;
  const parts = change.kind === "changed" ? change.what.map(({ part, before, after }) => `    ${part} was: ${before}\n    ${part} is:  ${after}\n`) : [];
  return `  ${changeText(change)}\n${parts.join("")}`;
}
