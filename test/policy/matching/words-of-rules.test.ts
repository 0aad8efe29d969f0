import { expect, test } from "vitest";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import { compileRule, mayMatchCommand, viewCommand } from "../../../src/policy/matching/command-rules.ts";
import { policyOf, policyText } from "../bench.ts";

const [RULE] = policyOf(policyText("commands: { rules: [{ id: no-push, deny: 'git push **', because: no }] }")).commands.rules.map(compileRule);

function speaksOf(command: string): boolean {
  const { simples } = analyseCommand(command, { cwd: "/srv/project", home: "/home/dev" });
  return simples.some((simple) => RULE !== undefined && mayMatchCommand(RULE, viewCommand(simple)));
}

test.each(["/usr/bin/gi? push", "/usr/b*/git push", "/usr/bin/@(git|x/y) push", '"$x" push', '/usr/bin/"$x" push', '/usr/bin/g"$x" push', 'g"$x" push'])(
  "a program that may turn out to be the rule's, whatever its directory: %s",
  (command) => {
    expect(speaksOf(command)).toBe(true);
  },
);

test.each(["git -C d push", "git -c a=b push", "git --no-pager push", "git -p -C d --git-dir=g push x", 'git -C "$d" push', "git --opt=$x push"])(
  "options before the subcommand hide nothing: %s",
  (command) => {
    expect(speaksOf(command)).toBe(true);
  },
);

test.each(["git log push", "git -C d log push", "git -C d e push", "/usr/bin/gi?/x push", "/opt/git/bin/hub push", "hub -x git push", "git"])(
  "another command is another command: %s",
  (command) => {
    expect(speaksOf(command)).toBe(false);
  },
);

test("a rule of one word says nothing of options", () => {
  const [rule] = policyOf(policyText("commands: { rules: [{ id: bare, deny: 'git', because: no }] }")).commands.rules.map(compileRule);
  const { simples } = analyseCommand("git -v", { cwd: "/srv/project", home: "/home/dev" });
  expect(simples.map((simple) => rule === undefined || mayMatchCommand(rule, viewCommand(simple)))).toEqual([false]);
});
