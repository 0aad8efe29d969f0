import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import type { CommandAnalysis, PathOperand, Word } from "../../src/shell/model/model.ts";

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
  readonly sends?: readonly string[];
  /** The words of the last simple command; null for one that is not known. */
  readonly words?: readonly (string | null)[];
};

const KEYS = new Set(["title", "command", "programs", "undecidable", "where", "writes", "connects", "sends", "words"]);
const FOLDER = new URL("../vectors/shell/", import.meta.url);
const CONTEXT = { cwd: "/srv/project", home: "/home/someone" };

const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

it("finds vectors", () => {
  expect(files.length).toBeGreaterThanOrEqual(4);
});

describe.each(files)("%s", (file) => {
  const vectors = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Vector[];
  it.each(vectors.map((vector) => [vector.title, vector] as const))("%s", (_title, vector) => {
    const analysis = analyseCommand(vector.command, CONTEXT);
    expect(Object.keys(vector).filter((key) => !KEYS.has(key))).toEqual([]);
    expect(observe(vector, analysis)).toEqual(expected(vector));
    // No entry may be overlooked by whoever reads the effects alone.
    expect(analysis.effects.filter((effect) => effect.kind === "undecidable").length).toBeGreaterThanOrEqual(analysis.undecidable.length);
  });
});

/** What the vector says, of the analysis; what it does not mention is left out. */
function observe(vector: Vector, analysis: CommandAnalysis): object {
  const hostsOf = (kind: string): (string | null)[] =>
    analysis.effects.flatMap((effect) => (effect.kind === kind ? [effect.host?.kind === "literal" ? effect.host.host : null] : []));
  return {
    undecidable: undecidableOf(vector, analysis),
    ...(vector.programs && { programs: analysis.simples.map((simple) => simple.program) }),
    ...(vector.words && { words: analysis.simples.at(-1)?.argv.map(valueOf) }),
    ...(vector.writes && { writes: redirected(analysis) }),
    ...(vector.connects && { connects: hostsOf("connects") }),
    ...(vector.sends && { sends: hostsOf("sends") }),
  };
}

function expected(vector: Vector): object {
  const { title: _title, command: _command, where, ...rest } = vector;
  return { ...rest, undecidable: where === "any" ? ["any"] : (vector.undecidable ?? []) };
}

/** The named codes that are there; all codes, where there must be none. */
function undecidableOf(vector: Vector, analysis: CommandAnalysis): readonly string[] {
  const codes: readonly string[] = analysis.undecidable.map((entry) => entry.code);
  if (vector.undecidable === undefined) return codes;
  if (vector.where === "any") return codes.length > 0 ? ["any"] : [];
  return vector.undecidable.filter((code) => codes.includes(code));
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
