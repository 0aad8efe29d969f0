import { describe, expect, test } from "vitest";
import { climbsFromLink } from "../../../src/policy/deciding/path-traversal.ts";
import { CONTEXT, factsFor, simpleCommand } from "../bench.ts";

const MANY = "cat b c d e f g h i j k l m n o p q r s t u v";

describe("going up from what may be a link", () => {
  test.each([
    ["a short command", "cat"],
    ["a long command", MANY],
  ])("is seen in %s, for the path that the word names and for no other", (_name, start) => {
    const facts = factsFor([]);
    const measured = {
      ...facts,
      paths: new Map([[CONTEXT.workspace, { path: CONTEXT.workspace, real: CONTEXT.workspace, type: "directory" as const, links: 1 }]]),
    };
    const command = simpleCommand(`${start} b link/../shadow ../above`);
    for (const again of ["first", "second"]) {
      expect([again, climbsFromLink(command, `${CONTEXT.workspace}/shadow`, measured)]).toEqual([again, true]);
      expect([again, climbsFromLink(command, `${CONTEXT.workspace}/b`, measured)]).toEqual([again, false]);
      expect([again, climbsFromLink(command, "/home/dev/above", measured)]).toEqual([again, false]);
      expect([again, climbsFromLink(command, "/home/dev/above", facts)]).toEqual([again, true]);
    }
  });

  test("is seen in what a loop or an array takes from a directory", () => {
    const span = { start: 0, end: 0 };
    const value = { kind: "pattern", glob: "link/../*", span } as const;
    const command = { ...simpleCommand("true"), argv: [], program: null, assignments: [{ name: "f", value, append: false, span }] };
    expect(climbsFromLink(command, CONTEXT.workspace, factsFor([]))).toBe(true);
  });

  test.each(["git -C../above status", "git show HEAD:../above", "cat --file=../above", "cc -Ib/../../above"])(
    "is seen behind an option's letter or a colon: %s",
    (text) => {
      expect(climbsFromLink(simpleCommand(text), "/home/dev/above", factsFor([]))).toBe(true);
    },
  );

  test.each([MANY, "git diff main...HEAD src", "git log v1..v2 src", "cat a..b"])("is no matter of a command without it: %s", (text) => {
    expect(climbsFromLink(simpleCommand(text), `${CONTEXT.workspace}/b`, factsFor([]))).toBe(false);
  });
});
