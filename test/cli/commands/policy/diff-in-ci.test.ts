import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { place } from "../../../support/test-place.ts";
import { warder } from "../../../support/warder-cli.ts";

const read = (name: string): string => readFileSync(new URL(`../../../../examples/ci/${name}`, import.meta.url), "utf8");
const github = parse(read("github-policy-diff.yml")) as { jobs: { diff: { steps: readonly { name?: string; run?: string }[] } } };
const gitlab = parse(read("gitlab-policy-diff.yml")) as { "policy-diff": { script: readonly string[] } };
const SCRIPTS = {
  github: github.jobs.diff.steps.find(({ name }) => name === "compare")?.run ?? "",
  gitlab: gitlab["policy-diff"].script.join("\n"),
};

/** Runs a workflow's script as the runner would, with a `warder` that ends with this code, and a `gh` that notes what it is told. */
function ended(script: string, code: number, labels: readonly string[]): number | null {
  const { root } = place();
  const bin = join(root, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "warder"), `#!/bin/sh\nprintf '%s\\n' "$*" > asked\nexit ${String(code)}\n`, { mode: 0o755 });
  writeFileSync(join(bin, "gh"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    POLICY: "warder.yaml",
    BASE: "b",
    HEAD: "h",
    NUMBER: "1",
    LABELLED: String(labels.includes("policy-widens")),
    GITHUB_STEP_SUMMARY: join(root, "summary"),
    CI_MERGE_REQUEST_DIFF_BASE_SHA: "b",
    CI_COMMIT_SHA: "h",
    CI_MERGE_REQUEST_LABELS: labels.join(","),
  };
  const { status } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], { cwd: root, env });
  expect(readFileSync(join(root, "asked"), "utf8")).toBe("policy diff b..h warder.yaml --markdown\n");
  return status;
}

describe.each(["github", "gitlab"] as const)("the workflow for %s", (name) => {
  test.each<readonly [string, number, readonly string[], number]>([
    ["the same", 0, [], 0],
    ["what only tightens", 10, [], 0],
    ["a widening without the label", 11, ["policy"], 1],
    ["a widening with it", 11, ["policy", "policy-widens"], 0],
    ["what may widen, without it", 12, ["policy-widens-not"], 1],
    ["a policy that cannot be loaded, with it", 78, ["policy-widens"], 78],
  ])("%s", (_what, ...[code, labels, status]) => {
    expect(ended(SCRIPTS[name], code, labels)).toBe(status);
  });
});

test("compares revisions with what they extend there, in Markdown", async () => {
  const here = place();
  const git = (...argv: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...argv], { cwd: here.root });
  const write = (name: string, ...lines: readonly string[]): void => writeFileSync(join(here.root, name), `version: 1\nname: own\n${lines.join("\n")}\n`);
  git("init", "-q");
  write("house.yaml", "autonomy: supervised");
  write("own.yaml", "extends: ./house.yaml");
  git("add", "house.yaml", "own.yaml");
  git("commit", "-qm", "one");
  write("house.yaml", "autonomy: full", "workspace: { roots: [{ path: ., access: read-write }] }");
  git("commit", "-qam", "two");
  const end = await warder({ ...here, workspace: here.root }, ["policy", "diff", "HEAD~1..HEAD", "own.yaml", "--markdown"]);
  expect(end).toMatchObject({ exitCode: 11, stderr: "" });
  expect(end.stdout).toMatch(/^### Policy widens\n\n` HEAD~1:own\.yaml ` → ` HEAD:own\.yaml `\n/u);
  expect(end.stdout).toContain("autonomy: supervised → full ` (` house.yaml:3 `)");
});
