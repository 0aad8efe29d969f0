import { expect, test } from "vitest";
import { errorAt, renderDiagnostics } from "../../../src/policy/text/diagnostic.ts";

test("of thousands of problems the first are shown, and how many are not", () => {
  const source = "a: 1\n".repeat(3000);
  const many = Array.from({ length: 3000 }, (_, index) => errorAt({ file: "p.yaml", line: index + 1, column: 1 }, "It is wrong."));
  const text = renderDiagnostics(many, new Map([["p.yaml", source]]));
  expect(text.split("It is wrong.")).toHaveLength(21);
  expect(text).toMatch(/^p\.yaml:1:1: error/u);
  expect(text).toMatch(/2980 more\. Mend these first\.$/u);
});
