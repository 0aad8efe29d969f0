import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { type TerminalSession, warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place, script } from "../support/test-place.ts";
import { type Place, warder } from "../support/warder-cli.ts";

/** A day's calls: read, search, edit, test, build, serve and ask, commit in a worktree. */
const EVERYDAY: readonly (readonly [string, Record<string, unknown>])[] = [
  ["list_files", { path: "." }],
  ["read_file", { path: "package.json" }],
  ["read_file", { path: "src/sum.js" }],
  ["glob_search", { pattern: "**/*.js" }],
  ["grep_search", { pattern: "TODO" }],
  ["shell", { command: "git status --short && git log --oneline | head -3" }],
  ["shell", { command: "npm test" }],
  ["edit_file", { path: "src/sum.js", old_string: "a - b", new_string: "a + b" }],
  ["shell", { command: "npm test" }],
  ["write_file", { path: "src/server.js", content: 'require("node:http").createServer((_q, r) => r.end("up")).listen(3000);\n' }],
  ["shell", { command: "node src/server.js & until curl -s localhost:3000; do sleep 0.1; done" }],
  ["shell", { command: "npm run build" }],
  ["edit_file", { path: "src/server.js", old_string: '"up"', new_string: '"running"' }],
  ["shell", { command: "npm test" }],
  ["shell", { command: "npm run build" }],
  ["shell", { command: "git diff --stat" }],
  ["shell", { command: "git switch -c fix && git add -A && git commit -m 'sum adds'" }],
  ["shell", { command: "git log -1 --format=%an" }],
  ["shell", { command: "cat dist/sum.js" }],
  ["shell", { command: "git status --short" }],
];

/** `isLinked`: the workspace is a worktree, as people have one for each task; its repository lies beside it. */
function project(here: Place, isLinked: boolean): void {
  writeFileSync(join(here.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
  writeFileSync(join(here.workspace, "package.json"), JSON.stringify({ name: "sum", scripts: { test: "node test.js", build: "node build.js" } }));
  for (const name of ["src", "dist"]) mkdirSync(join(here.workspace, name));
  writeFileSync(join(here.workspace, "src/sum.js"), "module.exports = (a, b) => a - b; // TODO\n");
  writeFileSync(join(here.workspace, "test.js"), 'if (require("./src/sum.js")(1, 2) !== 3) process.exit(1);\n');
  writeFileSync(join(here.workspace, "dist/.keep"), "");
  writeFileSync(join(here.workspace, "build.js"), 'require("node:fs").copyFileSync("src/sum.js", "dist/sum.js");\n');
  const repository = isLinked ? join(here.root, "repository") : here.workspace;
  const git = (cwd: string, ...argv: string[]): Buffer => execFileSync("git", argv, { cwd, env: { PATH: process.env["PATH"], HOME: here.home } });
  if (isLinked) cpSync(here.workspace, repository, { recursive: true });
  git(repository, "init", "--quiet");
  git(repository, "add", "-A");
  git(repository, "commit", "--quiet", "-m", "one");
  if (!isLinked) return;
  rmSync(here.workspace, { recursive: true });
  git(repository, "worktree", "add", "--quiet", "-b", "work", here.workspace);
}

function everyday(here: Place): string {
  const turns = EVERYDAY.map(([tool, input]) => `  - calls: [{ tool: ${tool}, input: ${JSON.stringify(input)} }]\n`).join("");
  return script(here, `protocol: anthropic\nturns:\n${turns}  - say: "Done."\n`);
}

const runOf = (terminal: TerminalSession): string => /run-[a-z0-9]+/u.exec(terminal.screen())?.[0] ?? "";

type Entry = { readonly kind: string; readonly verdict?: string; readonly outcome?: string };

async function logOf(here: Place, run: string, kind: string): Promise<readonly Entry[]> {
  const { stdout } = await warder(here, ["audit", "tail", "--run", run, "--limit", "1000", "--json"]);
  const lines = stdout.split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Entry).filter((entry) => entry.kind === kind);
}

/** Answers as a person would who wants to be asked little: the words of a command, and a directory's files, for the run; all else once. */
async function answer(terminal: TerminalSession): Promise<number> {
  const state = { hasEnded: false };
  void terminal.ended.then(() => (state.hasEnded = true));
  const times = (text: string): number => terminal.screen().split(text).length - 1;
  for (let asked = 0; ; asked += 1) {
    while (times("Allow? ") <= asked && !state.hasEnded) await new Promise((resolve) => setTimeout(resolve, 50));
    if (state.hasEnded) return asked;
    const rows = terminal.rows();
    // The card with its question is on the screen of 80 by 24, and nothing wrapped by itself.
    expect(rows.at(-1)).toBe("Allow?");
    expect(rows).toContainEqual(expect.stringMatching(/^=== Allow this\? medium risk: /u));
    const isFile = rows.some((row) => /^ {2}\| (?:change of|new file) /u.test(row));
    terminal.type(isFile ? "p" : rows.some((row) => row.includes("[r]un: this command")) ? "r" : "o");
    if (!isFile) continue;
    await terminal.shows(new RegExp(`(?:For how long[^]*){${times("For how long") === 0 ? 1 : times("For how long")}}`, "u"));
    terminal.type("r\r");
  }
}

describeWithDocker("a day's calls", () => {
  test("ask nothing under `reviewed`, a terminal's own; at the end the person looks at the changes, and lands them with one key", async () => {
    const here = place();
    project(here, true);
    const terminal = warderAtTerminal(here, ["run", "--model", everyday(here), "Make sum add."]);
    await terminal.shows(/Land it\? $/u);
    const run = runOf(terminal);
    const rulings = await logOf(here, run, "ruling");
    expect([rulings.length, new Set(rulings.map(({ verdict }) => verdict))]).toEqual([EVERYDAY.length, new Set(["allow"])]);
    expect(terminal.screen()).not.toContain("Allow?");
    expect(await logOf(here, run, "approval-requested")).toEqual([]);
    const rows = terminal.rows();
    expect(rows.at(-1)).toBe("Land it?");
    expect(rows.find((row) => row.startsWith("To review: "))).toMatch(/\d+ changes \(\d+ added, \d+ modified/u);
    expect(rows).toContain("[l]and all  [d]iff  [v]iew the list  [k]eep for later");
    expect(rows.some((row) => row.startsWith("modified src/sum.js"))).toBe(true);
    // Nothing landed yet.
    expect(readFileSync(join(here.workspace, "src/sum.js"), "utf8")).toContain("a - b");
    expect(existsSync(join(here.workspace, "src/server.js"))).toBe(false);
    terminal.type("d");
    await terminal.shows(/\+module\.exports = \(a, b\) => a \+ b/u);
    while (!/Land it\? [^]*Land it\? $/u.test(terminal.screen())) {
      terminal.type(" ");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    terminal.type("l");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/applied\s+modified src\/sum\.js/u);
    expect(readFileSync(join(here.workspace, "src/sum.js"), "utf8")).toContain("a + b");
    expect(readFileSync(join(here.workspace, "src/server.js"), "utf8")).toContain("running");
    const subject = execFileSync("git", ["log", "-1", "--format=%s by %an", "fix"], { cwd: here.workspace, encoding: "utf8" });
    expect(subject).toBe("sum adds by Ada\n");
    expect(await logOf(here, run, "changes-applied")).toHaveLength(1);
  });

  test.each([
    ["", false],
    [" in a linked worktree", true],
  ])("ask at most six times under `supervised`%s, on cards that fit the screen, and never for a word", async (_where, isLinked) => {
    const here = place();
    project(here, isLinked);
    const terminal = warderAtTerminal(here, ["run", "--policy", "supervised", "--model", everyday(here), "Make sum add."]);
    const asked = await answer(terminal);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    expect(terminal.screen()).not.toContain("type this word");
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(6);
    const run = runOf(terminal);
    expect(await logOf(here, run, "approval-requested")).toHaveLength(asked);
    expect(await logOf(here, run, "outcome")).toHaveLength(EVERYDAY.length);
    expect(terminal.screen()).toContain("granted by");
    expect(terminal.screen()).toMatch(/for the run: npm test/u);
    expect(readFileSync(join(here.workspace, "dist/sum.js"), "utf8")).toContain("a + b");
    const subject = execFileSync("git", ["log", "-1", "--format=%s by %an", "fix"], { cwd: here.workspace, encoding: "utf8" });
    expect(subject).toBe("sum adds by Ada\n");
    // What was granted for the run is over.
    const { grants } = JSON.parse((await warder(here, ["approvals", "grants", "--json"])).stdout) as { grants: { state: string }[] };
    expect(new Set(grants.map(({ state }) => state))).toEqual(new Set(["expired"]));
  });
});

const WRITES = 'protocol: anthropic\nturns:\n  - calls: [{ tool: write_file, input: { path: a, content: b } }]\n  - say: "Over."\n';

describeWithDocker("the review at the end of a run", () => {
  test("keeps the changes for later, and says how to come back", async () => {
    const here = place();
    const terminal = warderAtTerminal(here, ["run", "--model", script(here, WRITES), "Write."]);
    await terminal.shows(/Land it\? $/u);
    terminal.type("k");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain(`Review: warder changes diff ${runOf(terminal)}`);
    expect(existsSync(join(here.workspace, "a"))).toBe(false);
    expect((await warder(here, ["changes", "apply", runOf(terminal), "--yes"])).exitCode).toBe(0);
    expect(readFileSync(join(here.workspace, "a"), "utf8")).toBe("b");
  });

  test("shows what wants a look first, and lands nothing that `changes apply` would not", async () => {
    const here = place();
    const calls = [
      { tool: "shell", input: { command: 'for i in $(seq 40); do echo $i > file-$i.txt; done; echo \'{"scripts":{"postinstall":"x"}}\' > package.json' } },
      { tool: "shell", input: { command: "mkdir -p .git/hooks policies && echo x > .env" } },
    ];
    const turns = calls.map((call) => `  - calls: [${JSON.stringify(call)}]\n`).join("");
    const terminal = warderAtTerminal(here, ["run", "--model", script(here, `protocol: anthropic\nturns:\n${turns}  - say: "Over."\n`), "Write."]);
    await terminal.shows(/Land it\? $/u);
    const rows = terminal.rows();
    const first = rows.findIndex((row) => row.startsWith("To review: "));
    expect(rows.slice(first + 1, first + 4).join("\n")).toMatch(/^! package-script: [^]*\nadded {4}package\.json/u);
    expect(rows).toContainEqual(expect.stringMatching(/^\.\.\. \d+ more rows: \[v\]iew$/u));
    terminal.type("l");
    const exitCode = await terminal.ended;
    const kept = (await warder(here, ["changes", "list", runOf(terminal)])).stdout;
    expect([exitCode, existsSync(join(here.workspace, ".env")), existsSync(join(here.workspace, "file-40.txt"))]).toEqual([kept === "" ? 0 : 1, false, true]);
  });

  test("waits for nobody where nobody is: piped, as JSON, or unattended", async () => {
    const here = place();
    const model = script(here, WRITES);
    for (const more of [[], ["--json"], ["--unattended"]]) {
      const end = await warder(here, ["run", "--policy", "reviewed", "--model", model, ...more, "Write."]);
      expect([more, end.exitCode, end.stdout.includes("Land it?")]).toEqual([more, 0, false]);
      expect((await warder(here, ["changes", "list", /run-[a-z0-9]+/u.exec(end.stdout)?.[0] ?? ""])).stdout).toMatch(/^added\s+a/mu);
    }
    for (const more of ["--json", "--unattended"]) {
      const terminal = warderAtTerminal(here, ["run", "--policy", "reviewed", "--model", model, more, "Write."]);
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen()).not.toContain("Land it?");
    }
  });

  test("is nobody's who cannot be asked: there a change is refused", async () => {
    const here = place();
    await warder(here, ["run", "--model", script(here, WRITES), "Write."]);
    expect((await warder(here, ["audit", "tail", "--json"])).stdout).toMatch(/"policy":\{[^}]*"name":"supervised"|"supervised"/u);
    expect(existsSync(join(here.workspace, "a"))).toBe(false);
  });
});
