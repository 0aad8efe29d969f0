import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import type { Effect } from "../../../src/shell/model/model.ts";

const FOLDER = new URL("../../vectors/programs/", import.meta.url);

type Vectors = {
  readonly source: string;
  readonly because: string;
  readonly cases: readonly { readonly command: string; readonly effects: readonly string[] }[];
};

/** `writes /w/out and below`, `connects h.test`: what an effect is about. */
function show({ kind, path, host, isWide }: Effect): string {
  const where = path === undefined ? "" : ` ${path.kind === "literal" ? path.path : path.kind === "pattern" ? path.glob : `${path.prefix}…`}`;
  const whom = host === undefined ? "" : ` ${host.kind === "literal" ? host.host : host.kind === "configured" ? "(configured)" : `${host.prefix}…`}`;
  return `${kind}${where}${isWide === true ? " and below" : ""}${whom}`;
}

// adversarial.json says what must be raised at least; it has a test of its own.
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json") && name !== "adversarial.json");

it("finds the vectors", () => {
  expect(files.length).toBeGreaterThan(10);
});

describe.each(files)("%s", (file) => {
  const vectors = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Vectors;

  it("holds cases, a source and a reason, and nothing else", () => {
    expect(Object.keys(vectors).toSorted()).toEqual(["because", "cases", "source"]);
    expect(vectors.cases.length).toBeGreaterThan(0);
    for (const each of vectors.cases) expect(Object.keys(each).toSorted()).toEqual(["command", "effects"]);
  });

  it.each(vectors.cases)("reads the effects of $command", ({ command, effects }) => {
    const analysis = analyseCommand(command, { cwd: "/w", home: "/home/a" });
    expect([...new Set(analysis.effects.map(show))].toSorted()).toEqual(effects);
  });
});
