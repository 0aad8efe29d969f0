import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand, type CheckParts } from "../../../src/gate/check.ts";
import { HOSTILE_FURTHER } from "./hostile-further.ts";
import { HOSTILE_PLACES } from "./hostile-places.ts";
import { HOSTILE_KEYS, type Hostile } from "./hostile-repositories.ts";
import { operatorCheck } from "./operator-check.ts";

/** Commands that only look, or ask the configured remote. */
const LOOKS = [
  "git status",
  "git status -sb",
  "git diff",
  "git diff HEAD~1 HEAD",
  "git diff --stat --submodule=log",
  "git log -p -2",
  "git log --oneline",
  "git show HEAD:a.txt",
  "git show",
  "git blame a.txt",
  "git branch -a",
  "git stash list",
  "git ls-files -m",
  "git grep -n foo",
  "git describe --always --dirty",
  "git rev-parse HEAD",
  "git remote -v",
  "git submodule status",
  "git archive HEAD",
  "git check-attr -a a.txt",
  "git fetch",
  "git ls-remote",
];

type Place = { readonly parts: CheckParts; readonly workspace: string; readonly at: string; readonly canary: string };

function placeOf(hostile: Hostile, isHostile: boolean): Place {
  let [evil, canary] = ["", ""];
  const parts = operatorCheck((workspace) => {
    canary = join(dirname(dirname(workspace)), "canary");
    evil = join(dirname(dirname(workspace)), "evil");
    writeFileSync(evil, `#!/bin/sh\ntouch ${canary}\nexit 0\n`, { mode: 0o755 });
    hostile.prepare(workspace);
    if (isHostile) hostile.harm(workspace, evil);
  });
  // What made it hostile may have run it.
  rmSync(canary, { force: true });
  const { workspace } = parts.setting;
  return { parts, workspace, at: beginning(hostile), canary };
}

function beginning({ at }: Hostile): string {
  return at === undefined ? "" : `cd ${at} && `;
}

/** Runs commands one after the other, with the variables of a sandbox or without, and says during which the program of the repository ran. */
function ranTheirs({ workspace, at, canary, parts }: Place, commands: readonly string[], variables: Readonly<Record<string, string>>): readonly string[] {
  const env = { PATH: process.env["PATH"], HOME: parts.setting.home, CANARY: canary, GIT_TERMINAL_PROMPT: "0", ...IDENTITY, ...variables };
  const each = commands.map((command, index) => `( ${at}${command} ) > /dev/null 2>&1; if [ -e "$CANARY" ]; then echo ${String(index)}; rm -f "$CANARY"; fi`);
  const { status, stdout } = spawnSync("/bin/sh", ["-c", [...each, "exit 0"].join("\n")], {
    cwd: workspace,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 240_000,
  });
  expect(status).toBe(0);
  return stdout.split("\n").flatMap((index) => (index === "" ? [] : [commands[Number(index)] ?? index]));
}

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

const SANDBOX = {
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "log.showSignature",
  GIT_CONFIG_VALUE_1: "false",
};

const HOSTILE = [...HOSTILE_KEYS, ...HOSTILE_PLACES, ...HOSTILE_FURTHER];

test("there are more than fifty of them", () => {
  expect(HOSTILE.length).toBeGreaterThan(50);
  expect(new Set(HOSTILE.map(({ name }) => name)).size).toBe(HOSTILE.length);
});

test.each(HOSTILE.map((hostile) => [hostile.name, hostile] as const))("nothing of theirs runs unasked: %s", async (_name, hostile) => {
  const place = placeOf(hostile, true);
  const { parts, at } = place;
  const allowed: string[] = [];
  for (const look of LOOKS) if ((await checkCommand(parts, at + look)).decision === "allow") allowed.push(look);
  const ran = [{}, SANDBOX].flatMap((variables) => ranTheirs(place, allowed, variables));
  expect(ran).toEqual([]);
  if (hostile.shows === null) return;
  const verdict = await checkCommand(parts, at + hostile.shows);
  expect([verdict.decision, verdict.risk]).toEqual(["ask", "high"]);
  expect(verdict.reason).toContain("may run code because of");
  // It is as hostile as it is said to be.
  expect(ranTheirs(place, [hostile.shows], {})).toEqual([hostile.shows]);
});

/** Each repository that is one of them but for its hostile part, once: most are the same one. */
const HARMLESS = HOSTILE.filter(
  (one, index) => one.name !== "a part of the index elsewhere" && HOSTILE.findIndex((other) => other.prepare === one.prepare && other.at === one.at) === index,
);

test.each(HARMLESS.map((hostile) => [hostile.name, hostile] as const))("the same without the hostile part is looked at unasked: %s", async (_name, hostile) => {
  const { parts, at } = placeOf(hostile, false);
  const asked: string[] = [];
  for (const look of LOOKS) if ((await checkCommand(parts, at + look)).decision !== "allow") asked.push(look);
  expect(asked).toEqual([]);
});
