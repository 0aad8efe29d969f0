import { expect, test } from "vitest";
import { callDifferences, type DecidedCall } from "../../../../src/app/policy/versions/call-differences.ts";
import type { Verdict } from "../../../../src/policy/decision.ts";

const call = (text: string, before: readonly [Verdict, string], after: readonly [Verdict, string]): DecidedCall => ({
  program: text.split(" ")[0] ?? "",
  text,
  before: { verdict: before[0], rule: before[1] },
  after: { verdict: after[0], rule: after[1] },
});

const told = (calls: readonly DecidedCall[]): readonly string[] =>
  callDifferences(calls, 0).map(
    ({ direction, group, part, witness, why }) =>
      `${direction} ${group} ${part.what}: ${witness?.wanted.kind === "command" ? witness.wanted.text : (why ?? "")}`,
  );

test("of each program and kind the shortest call is told, what is looser first", () => {
  const calls = [
    call("aa -l", ["allow", "a"], ["deny", "b"]),
    call("aa --long", ["ask", "a"], ["allow", "b"]),
    call("aa -s", ["ask", "a"], ["allow", "b"]),
    call("aa --other", ["ask", "a"], ["allow", "c"]),
    call("bb", ["deny", "a"], ["ask", "b"]),
    call("cc", ["ask", "a"], ["ask", "b"]),
  ];
  expect(told(calls)).toEqual([
    "widens allowed program bb: bb",
    "widens unasked program aa: aa -s",
    "widens unasked program aa: aa --other",
    "tightens refused program aa: aa -l",
  ]);
});

test("of a program with many kinds some are told, and that there are more, as loose as the loosest of them", () => {
  const tightening = call("aa t", ["allow", "a"], ["ask", "b"]);
  const widenings = Array.from({ length: 8 }, (_unused, index) => call(`aa ${String(index)}`, ["ask", `r${String(index)}`], ["allow", "b"]));
  expect(told([tightening, ...widenings])).toEqual([
    ...[0, 1, 2, 3, 4, 5].map((index) => `widens unasked program aa: aa ${String(index)}`),
    "widens unasked further calls of aa: 3 more kinds of its calls are decided differently, by other rules, and are not shown",
  ]);
});
