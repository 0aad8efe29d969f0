import { isDeepStrictEqual } from "node:util";
import { assert, constantFrom, array, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../src/cli/program/program.ts";
import { readQuickCheck } from "../../src/cli/quick-check.ts";

/** What the whole command line's parser makes of the words of `check`; null when it refuses them or shows a help. */
function readWhole(argv: readonly string[]): unknown {
  const program = buildProgram(() => {});
  const check = program.commands.find((command) => command.name() === "check");
  if (check === undefined) throw new Error("no check");
  let read: unknown = null;
  for (const each of [program, check]) each.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  check.action((command: string | undefined, options: object) => {
    read = { command, options };
  });
  try {
    program.parse(["node", "warder", ...argv]);
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("commander.")) return null;
    throw error;
  }
  return read;
}

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
          return quick === null || isDeepStrictEqual(readWhole(["check", ...words]), quick);
        }),
        { numRuns: 2000 },
      ),
    ).not.toThrow();
  });
});
