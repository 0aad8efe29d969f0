import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place, script } from "../support/test-place.ts";
import { type Place, warder } from "../support/warder-cli.ts";

/** A day's calls: read, search, edit, test, build, serve and ask, throw away, commit. */
const EVERYDAY: readonly (readonly [string, Record<string, unknown>])[] = [
  ["list_files", { path: "." }],
  ["read_file", { path: "package.json" }],
  ["read_file", { path: "sum.js" }],
  ["glob_search", { pattern: "**/*.js" }],
  ["grep_search", { pattern: "TODO" }],
  ["shell", { command: "git status --short && git log --oneline | head -3" }],
  ["shell", { command: "npm test" }],
  ["edit_file", { path: "sum.js", old_string: "a - b", new_string: "a + b" }],
  ["shell", { command: "npm test" }],
  ["write_file", { path: "server.js", content: 'require("node:http").createServer((_q, r) => r.end("up")).listen(3000);\n' }],
  ["shell", { command: "node server.js & until curl -s localhost:3000; do sleep 0.1; done" }],
  ["shell", { command: "mkdir -p dist && cp *.js dist/ && ls dist" }],
  ["shell", { command: "rm -rf dist" }],
  ["shell", { command: "sed -i 's/up/running/' server.js" }],
  ["shell", { command: 'for f in *.js; do node --check "$f"; done' }],
  ["shell", { command: "git diff" }],
  ["shell", { command: "git switch -c fix && git add -A && git commit -m 'sum adds'" }],
  ["shell", { command: "git worktree add ../fix-2 -b fix-2 2>&1 | tail -1; git branch" }],
  ["shell", { command: "sleep 60 & kill %1" }],
  ["shell", { command: "git log -1 --format=%an" }],
];

function project(here: Place): void {
  writeFileSync(join(here.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
  writeFileSync(join(here.workspace, "package.json"), JSON.stringify({ name: "sum", scripts: { test: "node test.js" } }));
  writeFileSync(join(here.workspace, "sum.js"), "module.exports = (a, b) => a - b; // TODO\n");
  writeFileSync(join(here.workspace, "test.js"), 'if (require("./sum.js")(1, 2) !== 3) process.exit(1);\n');
  mkdirSync(join(here.workspace, "src"));
  const git = (...argv: string[]): Buffer => execFileSync("git", argv, { cwd: here.workspace, env: { PATH: process.env["PATH"], HOME: here.home } });
  git("init", "--quiet");
  git("add", "-A");
  git("commit", "--quiet", "-m", "one");
}

describeWithDocker("the policy `reviewed`", () => {
  test("is a terminal's own: a day's calls ask nothing, and the person reviews what they changed", async () => {
    const here = place();
    project(here);
    const turns = EVERYDAY.map(([tool, input]) => `  - calls: [{ tool: ${tool}, input: ${JSON.stringify(input)} }]\n`).join("");
    const model = script(here, `protocol: anthropic\nturns:\n${turns}  - say: "Done."\n`);
    const terminal = warderAtTerminal(here, ["run", "--model", model, "Make sum add."]);
    expect(await terminal.ended).toBe(0);
    const run = { id: /run-[a-z0-9]+/u.exec(terminal.screen())?.[0] ?? "" };
    const log = (await warder(here, ["audit", "tail", "--run", run.id, "--limit", "1000", "--json"])).stdout.split("\n").filter(Boolean);
    const rulings = log.map((line) => JSON.parse(line) as { kind: string; verdict?: string }).filter(({ kind }) => kind === "ruling");
    expect([rulings.length, new Set(rulings.map(({ verdict }) => verdict))]).toEqual([EVERYDAY.length, new Set(["allow"])]);
    expect(terminal.screen()).not.toMatch(/waits|\[y/iu);
    // Nothing landed, and what there is to review is said.
    expect(readFileSync(join(here.workspace, "sum.js"), "utf8")).toContain("a - b");
    expect(existsSync(join(here.workspace, "server.js"))).toBe(false);
    expect(terminal.screen()).toContain(`warder changes diff ${run.id}`);
    const diff = (await warder(here, ["changes", "diff", run.id])).stdout;
    expect(diff).toMatch(/^\+module\.exports = \(a, b\) => a \+ b/mu);
  });

  test("is nobody's who cannot be asked: there a change is refused", async () => {
    const here = place();
    const model = script(here, 'protocol: anthropic\nturns:\n  - calls: [{ tool: write_file, input: { path: a, content: b } }]\n  - say: "Over."\n');
    await warder(here, ["run", "--model", model, "Write."]);
    expect((await warder(here, ["audit", "tail", "--json"])).stdout).toMatch(/"policy":\{[^}]*"name":"supervised"|"supervised"/u);
    expect(existsSync(join(here.workspace, "a"))).toBe(false);
  });
});
