import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PROGRAMS } from "../../src/programs/programs.ts";
import type { OptionSpec, ProgramNode } from "../../src/programs/table.ts";

type Harvest = Readonly<Record<string, { readonly version: string; readonly options: Readonly<Record<string, string>> }>>;
type Reasons = {
  /** Patterns of harmless ways to say such a word, each with what is meant. */
  readonly phrases: Readonly<Record<string, string>>;
  /** Programs for which such words are no news. */
  readonly programs: Readonly<Record<string, string>>;
  /** `sort --debug`: why it is harmless for all that its description says. */
  readonly options: Readonly<Record<string, string>>;
};

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const harvest = read("harvested-options.json") as Harvest;
const reasons = read("inert-options.json") as Reasons;

const TELLING =
  /\b(?:writ(?:e|es|ing|ten)|output|exec\w*|commands?|programs?|open\w*|connect\w*|hosts?|edit\w*|pager|runs?|scripts?|delet\w*|remov\w*|creat\w*|sav(?:e|es|ing)|append\w*|overwrit\w*|upload\w*|sends?|load|plugin\w*)\b/i;

/** What an option is said to do, without the phrases that mean nothing by it. */
function telling(description: string): boolean {
  let text = description;
  for (const phrase of Object.keys(reasons.phrases)) text = text.replaceAll(new RegExp(phrase, "gi"), " ");
  return TELLING.test(text);
}

function nodeOf(name: string): ProgramNode | undefined {
  const [program = "", ...below] = name.split(" ");
  return below.reduce<ProgramNode | undefined>((node, each) => node?.children.get(each), PROGRAMS.find(program));
}

/** Whether the table says that the option alone adds nothing to what the operands do. */
function isInert(spec: OptionSpec): boolean {
  const takesText = spec.value.kind !== "role" || (spec.value.role === "text" && spec.value.second === null);
  return spec.effects.length === 0 && spec.operandRole === null && takesText;
}

const unexplained = Object.entries(harvest).flatMap(([name, { options }]) => {
  const node = nodeOf(name);
  if (node === undefined || reasons.programs[name] !== undefined) return [];
  return Object.entries(options).flatMap(([option, description]) => {
    const spec = node.options.get(option);
    if (spec === undefined || !isInert(spec) || !telling(description)) return [];
    return spec.names.some((each) => reasons.options[`${name} ${each}`] !== undefined) ? [] : [`${name} ${option}: ${description}`];
  });
});

it("harvests the options of at least 60 programs", () => {
  expect(Object.keys(harvest).length).toBeGreaterThanOrEqual(60);
});

it("has a reason beside every allowed option whose description speaks of writing, running, opening or connecting", () => {
  expect(unexplained).toEqual([]);
});

it("keeps no reason for an option that the table does not allow", () => {
  const stale = Object.keys(reasons.options).filter((key) => {
    const at = key.lastIndexOf(" ");
    const spec = nodeOf(key.slice(0, at))?.options.get(key.slice(at + 1));
    return spec === undefined || !isInert(spec);
  });
  expect(stale).toEqual([]);
});
