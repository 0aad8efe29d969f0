import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand } from "../../../src/gate/check.ts";
import { operatorCheck } from "./operator-check.ts";

async function verdictOn(command: string): Promise<string> {
  const parts = operatorCheck((workspace) => mkdirSync(join(workspace, "src")));
  return (await checkCommand(parts, command)).decision;
}

// In a sandbox the roots and the system's own files lie there.
test.each([
  "cat /e*/passwd",
  "cat /*/passwd",
  "head -1 /e??/passwd",
  "wc -l /[e]tc/*",
  "for f in /e*/passwd; do cat $f; done",
  'for f in /*/passwd; do head -1 "$f"; done',
  "dd if=/e*/passwd",
])("`%s` finds what lies in no root", async (command) => {
  expect(["ask", "deny"]).toContain(await verdictOn(command));
});

test.each(["ls /", "ls /*", "echo /*", "cat *", "cat src/*", "ls *"])("`%s` shows names, or what is in a root", async (command) => {
  expect(await verdictOn(command)).toBe(command === "ls /*" ? "ask" : "allow");
});
