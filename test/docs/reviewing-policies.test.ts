import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { place } from "../support/test-place.ts";
import { warder } from "../support/warder-cli.ts";

const PAGE = new URL("../../docs/guides/reviewing-policies.md", import.meta.url);
const TOLD = { "A harmless one": 10, "One that widens more than it says": 11, "A hostile one": 11 };

test("the pull requests of the reviewer's guide come to what it shows", async () => {
  const page = readFileSync(PAGE, "utf8");
  const block = (text: string, kind: string): string => new RegExp(`\`\`\`${kind}\n([\\s\\S]*?)\`\`\``, "u").exec(text)?.[1] ?? "";
  const here = place();
  const git = (argv: readonly string[], input = ""): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...argv], { cwd: here.workspace, input, encoding: "utf8" });
  git(["init", "-q", "-b", "main"]);
  writeFileSync(join(here.workspace, "team.yaml"), block(page, "yaml"));
  git(["add", "."]);
  git(["commit", "-qm", "The policy"]);

  const sections = page.split(/^## /mu).filter((section) => section.includes("```diff"));
  expect(sections.map((section) => section.split("\n", 1)[0])).toEqual(Object.keys(TOLD));
  for (const [index, section] of sections.entries()) {
    git(["checkout", "-qb", `pull-${index}`, "main"]);
    git(["apply", "-"], block(section, "diff"));
    git(["commit", "-qam", "A change"]);
    const [command = "", ...shown] = block(section, "console").split("\n");
    const { exitCode, stdout } = await warder(here, command.replace("$ warder ", "").split(" "));
    expect([section.split("\n", 1)[0], exitCode]).toEqual(Object.entries(TOLD)[index]);
    const confirmed = stdout.split("\n").filter((line) => !line.startsWith("not confirmed: "));
    expect(confirmed.map((line) => line.trimEnd())).toEqual(shown);
  }
});
