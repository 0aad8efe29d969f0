import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { loadPolicy } from "../../src/config/policy/load.ts";
import { checkCall, checkCommand, type CheckParts } from "../../src/gate/check.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

function parts(change: Partial<CheckParts> = {}): CheckParts {
  const root = realpathSync(temporaryDirectory());
  const [workspace, home, state] = [join(root, "workspace"), join(root, "home"), join(root, "state")];
  for (const path of [workspace, home, state]) mkdirSync(path);
  const { policy } = loadPolicy("supervised", { workspace, home, stateDirectory: state });
  return { policy, tools: createRegistry(), setting: { workspace, home }, containment: "profile", ownPaths: [state], clock: systemClock, ...change };
}

describe("a verdict without a session", () => {
  test("tells what would be decided, by which rules, and what the command touches", async () => {
    const about = parts();
    const { workspace } = about.setting;
    writeFileSync(join(workspace, "a"), "");
    const verdict = await checkCommand(about, "cat a | sort > b");
    expect(verdict).toMatchObject({
      decision: "ask",
      risk: "medium",
      measured: "host",
      containment: "profile",
      programs: ["cat", "sort"],
      reads: [join(workspace, "a")],
      writes: [join(workspace, "b")],
      hosts: [],
      undecidable: [],
    });
    expect(verdict.rules[0]?.id).toMatch(/^[a-z-]+$/u);
    expect((await checkCommand(about, "ls")).decision).toBe("allow");
  });

  test("about a command text is the one about the call of the tool shell", async () => {
    const about = parts();
    const commands = constantFrom("", "ls", "a\u0000b", "rm -rf ~", "x".repeat(65_536), "x".repeat(65_537), "\ud800", "cat <<E\n$(id)\nE");
    const same = async (command: string): Promise<void> => {
      expect(await checkCommand(about, command)).toEqual(await checkCall(about, { name: "shell", input: { command } }));
    };
    await assert(asyncProperty(oneof(commands, string({ unit: "binary", maxLength: 40 })), same), { numRuns: 300 });
  });

  test("shows where a link leads", async () => {
    const about = parts();
    symlinkSync("/etc/shadow", join(about.setting.workspace, "notes"));
    const verdict = await checkCall(about, { name: "read_file", input: { path: "notes" } });
    expect(verdict).toMatchObject({ decision: "deny", reads: [`${join(about.setting.workspace, "notes")} -> /etc/shadow`] });
  });

  test("names what cannot be decided", async () => {
    expect(await checkCommand(parts(), 'eval "$x"')).toMatchObject({ risk: "high", undecidable: [expect.any(String)] });
  });

  test("reads the texts that a command needs", async () => {
    const about = parts();
    writeFileSync(join(about.setting.workspace, "package.json"), JSON.stringify({ scripts: { list: "ls" } }));
    const verdict = await checkCommand(about, "npm run list");
    expect(verdict.programs).toContain("npm");
    expect(verdict.decision).not.toBe("allow");
  });

  test.each([
    ["an unknown tool", { name: "nope", input: {} }, "unknown-tool"],
    ["an argument that no tool has", { name: "shell", input: { command: "ls", approved: true } }, "invalid-arguments"],
    ["arguments that are none", { name: "shell", input: "ls" }, "invalid-arguments"],
  ])("denies %s", async (_name, call, rule) => {
    expect(await checkCall(parts(), call)).toMatchObject({ decision: "deny", risk: "high", rules: [{ id: rule }] });
  });

  test("knows the stop switch and the budget when it is given them", async () => {
    const state = { isStopped: () => true, actionsLeft: () => null, asksLeft: () => null, uses: () => new Map() };
    expect(await checkCommand(parts({ state }), "ls")).toMatchObject({
      decision: "deny",
      rules: expect.arrayContaining([expect.objectContaining({ id: "stop-switch" })]),
    });
  });
});
