import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { place } from "../../../support/test-place.ts";
import { warder, writePolicy } from "../../../support/warder-cli.ts";

test("policy backtest holds a policy against what another agent did in the shadow", async () => {
  const here = place();
  mkdirSync(join(here.workspace, ".git"));
  const event = (id: string, tool_name: string, tool_input: object): string =>
    JSON.stringify({ session_id: "s1", cwd: here.workspace, hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: id });
  const events = [
    event("1", "Read", { file_path: "a" }),
    event("2", "Bash", { command: "ls -la" }),
    event("3", "Write", { file_path: "a", content: "x".repeat(3_000) }),
  ];
  for (const input of events) await warder(here, ["hook", "claude-code", "--shadow"], { input });
  const policy = writePolicy(
    here,
    "mine",
    "version: 1\nname: mine\nextends: supervised\ncommands: { rules: [{ id: no-list, deny: 'ls **', because: Why. }] }\n",
  );

  const shown = await warder(here, ["policy", "backtest", policy]);
  expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
  expect(shown.stdout.split("\n").map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/^3 calls of 1 run in 1 day, judged again by mine \(digest [0-9a-f]{12}\)$/u),
    "",
    "              then     now",
    "allowed          2       1",
    "asked            1       1   a day: 1.0 then, 1.0 now",
    "denied           0       1",
    "",
    "newly denied (1 call)",
    "     1 × shell: ls -la",
    expect.stringMatching(/^ {9}no-list \(.*mine\.yaml:4\), in 1 run$/u),
    "",
    "1 run would have been held up:",
    "  claude-code:s1: 1 call",
    "",
    "Files are measured as they are now, so what has changed since may be judged otherwise.",
    "",
  ]);

  const same = await warder(here, ["policy", "backtest", "supervised", "--json"]);
  expect(JSON.parse(same.stdout)).toMatchObject({ policy: "supervised", calls: 3, changes: [], before: { allow: 2, ask: 1, deny: 0 } });

  expect(await warder(here, ["policy", "backtest", "supervised", "--since", "soon"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--since takes a moment"),
  });

  rmSync(here.workspace, { recursive: true });
  mkdirSync(join(here.root, "other"));
  const gone = await warder({ ...here, workspace: join(here.root, "other") }, ["policy", "backtest", policy]);
  expect(gone.stdout).toContain("3 calls cannot be judged again:\n  3 × its workspace is no longer there\n");
});
