import { isDeepStrictEqual } from "node:util";
import { assert, constantFrom, array, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { readQuickCheck } from "../../src/cli/quick-check.ts";
import { readWhole } from "../support/whole-parser.ts";

const whole = (argv: readonly string[]): unknown => readWhole("check", argv, (command, options) => ({ command, options }));

const WORDS = [
  "ls",
  "git status",
  "",
  "-x",
  "--",
  "-",
  "--policy",
  "--policy=operator",
  "operator",
  "--workspace",
  "/tmp",
  "--containment",
  "none",
  "profile",
  "--jsonl",
  "--help",
  "--pol",
];

describe("the plainest form of warder check", () => {
  test.each([
    [["check", "git status"], { policy: "supervised", workspace: ".", containment: "profile" }],
    [["check", "--policy", "p.yaml", "git status", "--containment", "none", "--workspace", "/w"], { policy: "p.yaml", workspace: "/w", containment: "none" }],
  ])("is read: %j", (argv, options) => {
    expect(readQuickCheck(argv)).toEqual({ command: "git status", options });
  });

  test.each([
    [["exec", "ls"]],
    [["check"]],
    [["check", "--help"]],
    [["check", "ls", "--jsonl"]],
    [["check", "ls", "--containment", "all"]],
    [["check", "ls", "-la"]],
    [["check", "ls", "--policy"]],
  ])("leaves to the whole parser: %j", (argv) => {
    expect(readQuickCheck(argv)).toBeNull();
  });

  test("means what the whole parser makes of the same words", () => {
    expect(() =>
      assert(
        property(array(constantFrom(...WORDS), { maxLength: 6 }), (words) => {
          const quick = readQuickCheck(["check", ...words]);
          return quick === null || isDeepStrictEqual(whole(["check", ...words]), quick);
        }),
        { numRuns: 2000 },
      ),
    ).not.toThrow();
  });
});
