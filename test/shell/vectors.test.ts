import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import type { CommandAnalysis, PathOperand, Word } from "../../src/shell/model.ts";

type Vector = {
  readonly title: string;
  readonly command: string;
  /** The programs of all simple commands, in order; null for one without words. */
  readonly programs?: readonly (string | null)[];
  /** The codes that must be among the undecidable entries; without it there must be none. */
  readonly undecidable?: readonly string[];
  /** `any`: every code will do, as long as the text is undecidable. */
  readonly where?: "any";
  /** Paths of all `writes` effects; null for one that is not known. */
  readonly writes?: readonly (string | null)[];
  readonly connects?: readonly string[];
  /** The words of the last simple command; null for one that is not known. */
  readonly words?: readonly (string | null)[];
};

const KEYS = new Set(["title", "command", "programs", "undecidable", "where", "writes", "connects", "words"]);
const FOLDER = new URL("../vectors/shell/", import.meta.url);
const CONTEXT = { cwd: "/work/project", home: "/home/someone" };

const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

it("finds vectors", () => {
  expect(files.length).toBeGreaterThanOrEqual(4);
});

describe.each(files)("%s", (file) => {
  const vectors = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Vector[];
  it.each(vectors.map((vector) => [vector.title, vector] as const))("%s", (_title, vector) => {
    expect(Object.keys(vector).filter((key) => !KEYS.has(key))).toEqual([]);
    const analysis = analyseCommand(vector.command, CONTEXT);
    checkUndecidable(vector, analysis);
    if (vector.programs !== undefined) expect(analysis.simples.map((simple) => simple.program)).toEqual(vector.programs);
    if (vector.words !== undefined) expect(analysis.simples.at(-1)?.argv.map(valueOf)).toEqual(vector.words);
    if (vector.writes !== undefined) expect(redirected(analysis)).toEqual(vector.writes);
    if (vector.connects !== undefined) expect(analysis.effects.filter((effect) => effect.kind === "connects").map((effect) => effect.host?.kind === "literal" && effect.host.host)).toEqual(vector.connects);
  });
});

function checkUndecidable(vector: Vector, analysis: CommandAnalysis): void {
  const codes = analysis.undecidable.map((entry) => entry.code as string);
  if (vector.undecidable === undefined) expect(codes).toEqual([]);
  else if (vector.where === "any") expect(codes).not.toEqual([]);
  else expect(codes).toEqual(expect.arrayContaining([...vector.undecidable]));
  // No entry may be overlooked by whoever reads the effects alone.
  expect(analysis.effects.filter((effect) => effect.kind === "undecidable").length).toBeGreaterThanOrEqual(codes.length);
}

/** What redirections write; what programs write is the business of their tables. */
function redirected(analysis: CommandAnalysis): (string | null)[] {
  return analysis.effects.filter((effect) => effect.kind === "writes" && effect.cause.includes("writes a file")).map((effect) => pathOf(effect.path));
}

function pathOf(path: PathOperand | undefined): string | null {
  return path?.kind === "literal" ? path.path : null;
}

function valueOf(word: Word): string | null {
  return word.kind === "literal" ? word.value : null;
}
