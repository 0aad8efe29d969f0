import { describe, expect, test } from "vitest";
import { overBroadHints } from "../../../src/app/policy/over-broad.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { loadPolicy } from "../../../src/config/policy/load.ts";
import { shippedNames } from "../../../src/config/shipped-policies.ts";
import { checkCommand, type CheckParts } from "../../../src/gate/check.ts";
import { ruleHints } from "../../../src/policy/compiling/rule-hints.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { place } from "../../support/test-place.ts";
import { warder, writePolicy } from "../../support/warder-cli.ts";

function partsOf(policy: string | readonly string[], parent = "supervised"): CheckParts {
  const here = place();
  const file =
    typeof policy === "string"
      ? policy
      : writePolicy(
          here,
          "mine",
          `version: 1\nname: mine\nextends: ${parent}\ncommands:\n  rules:\n${policy.map((rule, index) => `    - { id: r${index}, ${rule}, because: Why. }\n`).join("")}`,
        );
  const setting = { workspace: here.workspace, home: here.home };
  const loaded = loadPolicy(file, { ...setting, stateDirectory: here.state });
  return { policy: loaded.policy, tools: createRegistry(), setting, containment: "profile", ownPaths: [here.state], clock: systemClock };
}

describe("an allow rule that admits what hardly anybody means", () => {
  test.each([
    ["git **", "git -c core.pager=./x -p log"],
    ["git * *", null],
    ["git config **", "git config core.editor ./x"],
    ["make *", "make SHELL=./x"],
    ["node **", "node -e x"],
    ["npm **", "npm exec ./x"],
    ["perl * *", "perl -e x"],
    ["python3 -? *", "python3 -c x"],
  ])("is told with a command: %s", async (words, witness) => {
    const parts = partsOf([`allow: '${words}'`]);
    const hints = await overBroadHints(parts);
    expect(hints.map(({ message, at }) => [message.split("`")[3], at.line])).toEqual(witness === null ? [] : [[witness, 6]]);
    const decided = witness === null ? null : (await checkCommand(parts, witness)).decision;
    expect(decided).toBe(witness === null ? null : "allow");
  });

  test.each([
    ["words that are all named", ["allow: 'git -c core.pager=./x -p log'"]],
    ["a pattern that leaves it out", ["allow: 'git log *'", "allow: 'npm run *'"]],
    ["a deny beside it", ["allow: 'node **'", "deny: 'node -e **'"]],
    ["an ask rule", ["ask: 'git **'"]],
  ])("is not told of %s", async (_what, rules) => {
    expect(await overBroadHints(partsOf(rules))).toEqual([]);
  });

  test("is not told where everything of it is allowed anyway", async () => {
    expect(await overBroadHints(partsOf(["allow: 'node **'"], "unattended"))).toEqual([]);
  });
});

test.each(shippedNames())("nothing is wrong with the rules of %s", async (name) => {
  const parts = partsOf(name);
  expect([...ruleHints(parts.policy), ...(await overBroadHints(parts))]).toEqual([]);
});

test("warder policy check shows each with its place, why and what to do", async () => {
  const here = place();
  const rules = ["allow: 'git **'", "deny: 'npm publish **'", "deny: 'npm publish --tag *'", "allow: 'npm publish'"];
  const listed = rules.map((rule, index) => `    - { id: r${index}, ${rule}, because: Why. }\n`).join("");
  const file = writePolicy(here, "mine", `version: 1\nname: mine\nextends: supervised\ncommands:\n  rules:\n${listed}`);
  const { exitCode, stdout } = await warder(here, ["policy", "check", file]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /mine\.yaml:6:7: warning: The rule `r0` also allows `git -c core\.pager=\.\/x -p log`, which starts any program\.\n[\s\S]*? {2}why: .*\n {2}remedy: /u,
  );
  expect(stdout).toMatch(/mine\.yaml:8:7: warning: The rule `r2` says nothing more: `r1` \(.*mine\.yaml:7\) says deny/u);
  expect(stdout).toMatch(/mine\.yaml:9:7: warning: The rule `r3` never decides: `r1` \(.*mine\.yaml:7\) says deny/u);
});
