import { describe, expect, test } from "vitest";
import { readQuickHook } from "../../src/cli/quick-hook.ts";
import { readWhole } from "../support/whole-parser.ts";

const whole = (argv: readonly string[]): unknown => readWhole("hook", argv, (agent, options) => ({ agent, options }));

describe("the words of a hook", () => {
  test.each([
    ["hook claude-code"],
    ["hook codex --policy unattended"],
    ["hook codex --shadow --workspace /w --policy a.yaml"],
    ["hook codex --in-line --policy unattended"],
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
    const [quick, read] = [readQuickHook(argv), whole(argv)];
    expect([null, JSON.stringify(read)]).toContain(quick === null ? null : JSON.stringify(quick));
  });

  test("an installed line is read quickly", () => {
    expect(readQuickHook(["hook", "claude-code", "--policy", "/p.yaml", "--shadow", "--in-line"])).toEqual({
      agent: "claude-code",
      options: { policy: "/p.yaml", shadow: true, inLine: true },
    });
  });
});
