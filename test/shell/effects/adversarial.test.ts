import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import type { Effect } from "../../../src/shell/model/model.ts";

/** A command and what it must raise: `kind`, `kind subject`, alternatives between bars, or `not-low`. */
type Case = { readonly command: string; readonly raises: readonly string[] };

const FILE = new URL("../../vectors/programs/adversarial.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(FILE, "utf8")) as { readonly cases: readonly Case[] };

function show({ kind, path, host, isWide }: Effect): string {
  const where = path === undefined ? "" : ` ${path.kind === "literal" ? path.path : path.kind === "pattern" ? path.glob : `${path.prefix}…`}`;
  const whom = host === undefined ? "" : ` ${host.kind === "literal" ? host.host : host.kind === "configured" ? "(configured)" : `${host.prefix}…`}`;
  return `${kind}${where}${isWide === true ? " and below" : ""}${whom}`;
}

/** Whether the effect is one that nobody is asked about: a read of a known path, a write to nowhere, a question to the configured host. */
function isLow({ kind, path, host }: Effect): boolean {
  if (kind === "reads") return path?.kind !== "dynamic";
  if (kind === "connects") return host?.kind === "configured";
  return (kind === "writes" || kind === "deletes") && path?.kind === "literal" && /^\/dev\/(?:null|stdout|stderr|tty)$/.test(path.path);
}

function missing({ command, raises }: Case): string[] {
  const { effects } = analyseCommand(command, { cwd: "/w", home: "/home/a" });
  if (effects.some(({ kind }) => kind === "unknown" || kind === "undecidable")) return [];
  const shown = new Set<string>(effects.flatMap((effect) => [effect.kind, show(effect)]));
  const holds = (word: string): boolean => (word === "not-low" ? !effects.every(isLow) : shown.has(word));
  return raises.filter((required) => !required.split("|").some(holds));
}

describe("commands written from the programs' manuals", () => {
  it("are at least 500 over at least 60 programs", () => {
    expect(cases.length).toBeGreaterThanOrEqual(500);
    expect(new Set(cases.map(({ command }) => command.split(" ")[0])).size).toBeGreaterThanOrEqual(60);
  });

  it.each(cases)("raises what $command does", (each) => {
    expect(missing(each)).toEqual([]);
  });
});
