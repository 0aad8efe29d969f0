import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand } from "../../../src/gate/check.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { operatorCheck } from "./operator-check.ts";

const verdictOn = async (command: string): Promise<string> =>
  (
    await checkCommand(
      operatorCheck(() => undefined),
      command,
    )
  ).decision;

const COMMITS = [
  "git diff $(git merge-base main HEAD)",
  'git diff --stat "$(git merge-base origin/main HEAD)"..HEAD',
  "git log --oneline $(git merge-base main HEAD 2>/dev/null)..HEAD | head -5",
  "git show $(git rev-parse HEAD~3) -- src",
  "git diff $(git rev-parse HEAD^)..$(git rev-parse HEAD)",
  "git log $(git rev-list --max-parents=0 HEAD)...HEAD",
  "base=main; git diff $(git merge-base $base HEAD)^",
  "git log main..$(git rev-parse --short HEAD~3)",
  "git blame $(git rev-list -n 1 v1.0) -- a.ts",
  "git show $(git log -1 --format=%H)",
  "git diff $(git log --pretty=format:%h --author=bob -2 -- src | tail -1) HEAD",
  "git log --format=%H -5 | xargs -n1 git show --stat",
  "git rev-list --no-merges HEAD | head -5 | xargs -I{} git show {}",
  "git diff HEAD@{$(date -d yesterday +%Y-%m-%d)}",
  "git log --since=$(date -d '7 days ago' +%F) --oneline",
];

test.each(COMMITS)("`%s` names commits", async (command) => {
  expect(await verdictOn(command)).toBe("allow");
});

test.each([
  ["git diff $(git rev-parse .env)", "a word that git prints as it is"],
  ["git diff $(git rev-parse --git-dir)", "a directory"],
  ["git diff $(git rev-parse HEAD --output=x)", "words that git prints as they are"],
  ["git diff $(git rev-parse --verify --output=x)", "an option"],
  ["git diff $(git branch --show-current)", "a name that may begin with a dash"],
  ["git diff $(git log -1 --format='%H %s')", "more than a commit"],
  ["git diff $(git log -1 --format=%H --format=%s)", "another format behind it"],
  ["git show $(git log --format=%H --boundary a..b)", "a mark before a commit"],
  ["git show $(git log --format=%H --graph)", "a picture before a commit"],
  ["git show $(git log --format=%H --show-signature)", "what somebody wrote into a signature"],
  ["git show $(git -c log.showSignature=true log --format=%H)", "the same, by a setting"],
  ["git show $(git log --format=%H -p)", "a patch"],
  ["git show $(git rev-list --objects HEAD)", "names of files"],
  ["git show $(git rev-list --left-right a...b)", "a mark before a commit"],
  ["git log --format=%H | xargs cat", "a program that takes files"],
  ["git log --format=%H | xargs git checkout", "a subcommand that takes other words"],
  ["git log --format=%H | xargs git", "a subcommand"],
  ["git log --format=%H | xargs git diff --output", "the value of an option"],
  ["git log --format=%H | xargs -I{} git show {}:x", "a text beside it"],
  ["git log --format=%H | xargs -d, git show", "another delimiter"],
  ["git log --format=%H | sed s/^/--output=/ | xargs git show", "another command"],
  ["GIT_DIR=x git log --format=%H | xargs git show", "another repository"],
  ["env -u GIT_CONFIG_COUNT git log --format=%H | xargs git show", "what keeps signatures from being shown"],
  ["git diff $(date +%A)", "a word that the language decides"],
  ["git diff $(date +-%F)", "an option"],
  ["git diff $(date '+%F %T')", "two words"],
  ["git diff $(date +%e)", "a blank"],
  ["git diff $(date -d @-99999999999999 +%F)", "a year before our era, which begins with a dash"],
  ["git diff $(date -d '9000 years ago' +%F)", "a year before our era, which begins with a dash"],
  ["git diff $(date -d 1960-01-01 +%s)", "seconds before 1970, which begin with a dash"],
  ["git diff $(date -d 0000-01-01 +%Y)", "a year before our era, where the sun rises late"],
  ["git -c log.showSignature=true log --format=%H | xargs git show", "a setting before the subcommand"],
  ["git diff $(date -f list +%F)", "days in a file"],
  ["git log --since $(date +%F)", "an option that takes what follows where date fails"],
  ["IFS=-; git log --since=$(date +%F)", "another separator"],
  ["date() { cat list; }; git log --since=$(date +%F)", "a function of the same name"],
  ["git diff ../x@{$(date +%F)}", "a file"],
  ["git diff $(git merge-base main HEAD)--output=x", "an option where there is no commit"],
  ["git diff -$(git rev-parse HEAD)", "an option"],
  ["git diff --output $(git rev-parse HEAD)", "the value of an option"],
  ["git diff .env$(git merge-base a b)", "a file where there is no commit"],
  ["git show ../x..$(git merge-base a b)", "a file where there is no commit"],
  ["git diff $(git rev-parse HEAD)/../../etc", "a file where there is no commit"],
  ["git diff $(git rev-parse HEAD)*", "a pattern"],
  ["git diff $x$(git rev-parse HEAD)", "a part that nobody knows"],
  ["git diff $(git rev-parse HEAD)$x", "a part that nobody knows"],
  ["git diff $(git rev-parse HEAD; echo --output=x)", "more than a commit"],
  ["git diff $(git rev-parse HEAD | sed s/^/--output=/)", "another command"],
  ["git diff $(cat f | git rev-parse HEAD)", "another command"],
  ["git diff $(GIT_DIR=x git rev-parse HEAD)", "a repository that a variable names"],
  ["git diff $(git -C x rev-parse HEAD)", "another repository"],
  ["IFS=a; git diff $(git rev-parse HEAD)", "another separator"],
  ["git() { echo --output=x; }; git diff $(git rev-parse HEAD)", "a function of the same name"],
  ["git diff $(git rev-parse HEAD); git() { echo --output=x; }", "a function that comes later"],
  ["git $(git rev-parse HEAD) push", "a subcommand"],
  ["git config $(git rev-parse HEAD) x", "a subcommand that takes other words"],
  ["git merge-base $(git rev-parse HEAD) main", "a subcommand that takes a certain number of words"],
  ["git diff $(git rev-parse --verify x 2>&1)", "errors among the names"],
  ["trap 'echo --output=x' ERR; set -E; git diff $(git rev-parse --verify nothing)", "a trap that prints"],
  ["cat $(git rev-parse HEAD)", "a program that takes files"],
])("`%s` is asked about: %s", async (command) => {
  expect(["ask", "deny"]).toContain(await verdictOn(command));
});

// As the sandbox has it: hardening.test.ts.
const SIGNATURES = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "log.showSignature", GIT_CONFIG_VALUE_0: "false" };

test("git prints names of commits, or what the reading says, whatever it is asked for", () => {
  const directory = temporaryDirectory();
  const run = (command: string): string =>
    execFileSync("bash", ["-c", command], { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...SIGNATURES } });
  run(
    "git init -q -b main . && git config user.email a@b && git config user.name a && for i in 1 2 3; do git commit -q --allow-empty -m $i; done; git tag v1.0",
  );
  run("git update-ref refs/heads/--output=x HEAD && git config log.showSignature true && git config core.abbrev 4");
  writeFileSync(join(directory, "file"), "");
  const questions = [
    "merge-base main HEAD~1",
    "merge-base --fork-point main",
    "rev-parse HEAD",
    "rev-parse HEAD~9",
    "rev-parse HEAD^^",
    "rev-parse --verify file",
    "rev-parse --verify HEAD^@",
  ];
  const more = [
    "rev-parse -q --verify v1.0",
    "rev-parse --short HEAD",
    "rev-parse --short=5 main",
    "rev-parse --verify main@^",
    "rev-list -1 HEAD",
    "rev-list -n 1 main",
    "rev-list --max-parents=0 HEAD",
    "rev-list -1 main..HEAD",
  ];
  for (const words of [...questions, ...more])
    for (const line of run(`git ${words}; true`).split("\n").slice(0, -1))
      expect([words, line]).toEqual([words, expect.stringMatching(/^[0-9a-f]{4,40}$|^HEAD[~^\d]*$/)]);
});
