import { describe, expect, test } from "vitest";
import { buildProgram } from "../../src/cli/program/program.ts";
import { readQuickHook } from "../../src/cli/quick-hook.ts";

/** What the whole command line's parser makes of the words of `hook`; null when they are for another command, or refused. */
function readWhole(argv: readonly string[]): unknown {
  const program = buildProgram(() => {});
  const hook = program.commands.find((command) => command.name() === "hook");
  if (hook === undefined) throw new Error("no hook");
  let read: unknown = null;
  for (const each of [program, hook, ...hook.commands]) each.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const each of hook.commands) each.action(() => {});
  hook.action((agent: string, options: object) => {
    read = { agent, options };
  });
  try {
    program.parse(["node", "warder", ...argv]);
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("commander.")) return null;
    throw error;
  }
  return read;
}

describe("the words of a hook", () => {
  test.each([
    ["hook claude-code"],
    ["hook codex --policy unattended"],
    ["hook codex --shadow --workspace /w --policy a.yaml"],
    ["hook no-agent"],
    ["hook"],
    ["hook install claude-code --shadow"],
    ["hook doctor"],
    ["hook --policy a codex"],
    ["hook codex --policy"],
    ["hook codex --policy --shadow"],
    ["hook codex --other"],
    ["hook codex more"],
    ["hook --help"],
    ["check ls"],
  ])("%s: read quickly, they mean what the whole parser reads", (line) => {
    const argv = line.split(" ");
    const [quick, whole] = [readQuickHook(argv), readWhole(argv)];
    expect([null, JSON.stringify(whole)]).toContain(quick === null ? null : JSON.stringify(quick));
  });

  test("an installed line is read quickly", () => {
    expect(readQuickHook(["hook", "claude-code", "--policy", "/p.yaml", "--shadow"])).toEqual({
      agent: "claude-code",
      options: { policy: "/p.yaml", shadow: true },
    });
  });
});
