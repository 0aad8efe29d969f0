import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { completionScript } from "../../../src/cli/program/completions.ts";
import { buildProgram } from "../../../src/cli/program/program.ts";

/** What bash offers for the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionScript(buildProgram(() => {}))}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warder; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script, "bash", ...words], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter(Boolean);
}

test.each([
  [
    ["warder", "a"],
    ["acp", "approvals", "audit"],
  ],
  [
    ["warder", "audit", ""],
    ["tail", "verify", "show", "export", "archive", "checkpoint", "--help"],
  ],
  [["warder", "audit", "tail", "--f"], ["--follow"]],
  [["warder", "check", "--policy", "x", "--con"], ["--containment"]],
  [
    ["warder", "policy", "test", "--"],
    ["--workspace", "--mutate", "--html", "--watch", "--snapshot", "--json", "--help"],
  ],
  [
    ["warder", "policy", "diff", "--"],
    ["--staged", "--json", "--markdown", "--sarif", "--log", "--from-warder", "--help"],
  ],
  [["warder", "approvals", "show", "audit", "--"], ["--help"]],
])("bash completes %j", (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test("nothing that was typed is evaluated", () => {
  expect(offered("warder", "$(echo >&2 hacked)", "`echo >&2 hacked`", "a")).toEqual(["acp", "approvals", "audit"]);
});
