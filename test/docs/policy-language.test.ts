import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileTexts, policyText } from "../policy/bench.ts";

const page = readFileSync(new URL("../../docs/policy-language.md", import.meta.url), "utf8");

const clauses = [...page.matchAll(/^- \*\*(?<number>\d+\.\d+)\*\*(?<body>[\s\S]*?)(?=^- \*\*|^#|^\S|(?![\s\S]))/gmu)].map(({ groups }) => ({
  number: groups?.["number"] ?? "",
  body: groups?.["body"] ?? "",
}));

const TOP_LEVEL = /^(?:version|autonomy|workspace|commands|limits|sandbox|unattended|tools|approvals|hooks): /u;

/** What an example shows of a policy file: its lines, and whether the page calls it an error. */
const examples = clauses.flatMap(({ number, body }) => [
  ...[...body.matchAll(/^ {4}```yaml\n(?<block>[\s\S]*?)^ {4}```$/gmu)].map(({ groups }) => ({
    number,
    text: "a block",
    lines: (groups?.["block"] ?? "").split("\n").map((line) => line.slice(4)),
    isError: false,
  })),
  ...[...body.matchAll(/^ {2}- Example: (.*)$/gmu)].flatMap(([, text = ""]) => {
    const lines = [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code).filter((code) => TOP_LEVEL.test(code));
    return lines.length === 0 ? [] : [{ number, text, lines, isError: text.includes("is an error") }];
  }),
]);

describe("the policy language", () => {
  test("is read", () => {
    expect(clauses.length).toBeGreaterThan(65);
    expect(examples.length).toBeGreaterThan(20);
    expect(examples.filter(({ isError }) => isError).length).toBeGreaterThan(10);
  });

  test("numbers the clauses of each section without a gap", () => {
    const sections = Map.groupBy(clauses, ({ number }) => number.split(".")[0]);
    for (const [section, own] of sections) {
      const numbers = own.map(({ number }) => Number(number.split(".")[1])).toSorted((left, right) => left - right);
      expect(numbers, `section ${section}`).toEqual(numbers.map((_, index) => index + 1));
    }
    expect([...sections.keys()]).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  test.each(clauses)("$number has an example", ({ body }) => {
    expect(body).toContain("\n  - Example: ");
  });

  test.each(examples)("$number is told by its example: $text", ({ lines, isError }) => {
    const text = lines.some((line) => line.startsWith("version: ")) ? ["name: test", ...lines, ""].join("\n") : policyText(...lines);
    expect(compileTexts([text]).kind).toBe(isError ? "refused" : "compiled");
  });
});
