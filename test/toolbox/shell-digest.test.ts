import { describe, expect, it } from "vitest";
import { digestOf } from "../../toolbox/shared/digest.ts";
import { shellDigest, vocabularyOf } from "../../toolbox/fuzz/shell/digest.ts";
import { createCatalogue } from "../../src/programs/catalogue.ts";
import type { Catalogue } from "../../src/programs/catalogue.ts";
import { FAMILIES, PROGRAMS } from "../../src/programs/programs.ts";

/** The catalogue with one more option in the table of a program. */
function withOption(name: string): Catalogue {
  const head = new RegExp(`^(${name}(?: [\\w.[+-]+)* :.*)$`, "m");
  expect(FAMILIES.filter((family) => head.test(family.text))).toHaveLength(1);
  return createCatalogue(
    FAMILIES.map(({ file, text }) => ({ file, text: text.replace(head, (line) => `${line}${line.includes(" | ") ? "" : " |"} --brand-new`) })),
  );
}

describe("the digest of what the shell fuzzer tests", () => {
  it("stays the same for the same sources", () => {
    expect(shellDigest(PROGRAMS)).toMatch(/^[0-9a-f]{64}$/);
    expect(shellDigest(createCatalogue(FAMILIES))).toBe(shellDigest(PROGRAMS));
  });

  it.each(["cat", "env", "xargs", "rm"])("changes with the table of %s, which texts name", (name) => {
    expect(withOption(name).find(name)?.options.has("--brand-new")).toBe(true);
    expect(shellDigest(withOption(name))).not.toBe(shellDigest(PROGRAMS));
  });

  it.each(["aws", "terraform", "apt"])("does not change with the table of %s, which no generated text names", (name) => {
    expect(withOption(name).find(name)?.options.has("--brand-new")).toBe(true);
    expect(vocabularyOf(PROGRAMS)).not.toContain(name);
    expect(shellDigest(withOption(name))).toBe(shellDigest(PROGRAMS));
  });

  it("tells where one text ends and the next begins", () => {
    expect(digestOf(["a", "bc"])).not.toBe(digestOf(["ab", "c"]));
  });
});
