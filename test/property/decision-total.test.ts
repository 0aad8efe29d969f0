import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { createScene } from "../../toolbox/bench/decide/scene.ts";
import { TYPICAL_COMMANDS } from "../../toolbox/bench/decide/typical-commands.ts";
import { makeVisible } from "../../src/base/text.ts";

const PIECES = [
  "$(",
  ")",
  "`",
  "'",
  '"',
  "{",
  "}",
  "<<E\n",
  "\nE\n",
  ">",
  "|",
  "&&",
  ";",
  "\\",
  "$x",
  "*",
  "..",
  "/",
  "~",
  "-",
  "=",
  "[",
  "]",
  "((",
  "))",
  "日",
  "😀",
  "\u202e",
  "\u{e0041}",
  "\ud800",
  "\0",
  "\r",
  "\t",
  "\n",
  " ",
];
const splice = (texts: readonly string[]): string => texts.join("");
const mutated = array(oneof(constantFrom(...TYPICAL_COMMANDS), constantFrom(...PIECES)), { maxLength: 12 }).map(splice);
const anyText = oneof(
  string({ unit: "binary", maxLength: 300 }),
  string({ unit: "grapheme", maxLength: 100 }),
  array(constantFrom(...PIECES), { maxLength: 60 }).map(splice),
  mutated,
);

/** What is wrong with the answer about a text, whatever the text is. */
function faultsOf(policy: string, text: string): readonly string[] {
  const scene = createdScenes.get(policy) ?? createScene(policy);
  createdScenes.set(policy, scene);
  const analysis = scene.analyse(text);
  const decision = scene.decide(text);
  const shown = scene.explain(text);
  const faults: string[] = [];
  if (analysis.undecidable.some((entry) => entry.code === "analysis-failed")) faults.push("the analysis failed");
  if (decision.units.length === 0 || decision.rules[0]?.verdict !== decision.verdict) faults.push("a verdict without its rule");
  if (analysis.undecidable.length > 0 && decision.verdict === "allow") faults.push("undecidable, and allowed");
  if (makeVisible(text) !== text && decision.verdict !== "deny") faults.push("invisible characters, and not denied");
  if (makeVisible(shown) !== shown) faults.push("an explanation that is not safe to print");
  return faults;
}

const createdScenes = new Map<string, ReturnType<typeof createScene>>();

describe("a decision about a text that nobody wrote", () => {
  test.each(["operator", "supervised", "read-only"])("comes to an end, with a rule, and can be explained: %s", (policy) => {
    expect(() =>
      assert(
        property(anyText, (text) => faultsOf(policy, text).length === 0),
        { numRuns: 1000 },
      ),
    ).not.toThrow();
  });
});
