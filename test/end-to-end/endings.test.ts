import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunSummary } from "../../src/app/run/summary.ts";
import { describeWithDocker } from "../support/docker.ts";
import { openState } from "../support/open-state.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place, script } from "../support/test-place.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { type Place, startWarder, warder } from "../support/warder-cli.ts";

const play = (...turns: readonly string[]): string => `protocol: anthropic\nturns:\n${turns.map((turn) => `  - ${turn}\n`).join("")}`;
const shell = (command: string): string => `calls: [{ tool: shell, input: { command: ${JSON.stringify(command)} } }]`;
const ALL_REFUSED = play(shell("cat /etc/shadow"), shell("git push"), 'say: "I could not."');
const unattended = (here: Place, text: string, ...more: readonly string[]) =>
  warder(here, ["run", "--unattended", ...more, "--model", script(here, text), "Do it."]);

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

describeWithDocker("a run that ends without success after refusals", () => {
  test("exits 3 and says so in its last line, its summary, the list of runs and the log", async () => {
    const here = place();
    const end = await unattended(here, ALL_REFUSED);
    expect(end.exitCode).toBe(3);
    expect(end.stdout).toMatch(/denied: 2 of 2 calls were refused, the last by rule no-network, and no other changed anything\./u);
    expect(lastLine(end.stdout)).toMatch(
      /^Denied: it ended without success after 2 refusals \(forbidden-path, no-network\)\. See: warder audit tail --run run-\w+$/u,
    );
    expect((await warder(here, ["runs"])).stdout).toContain("denied");
    expect((await warder(here, ["audit", "tail", "--kind", "run-end", "--json"])).stdout).toContain('"ending":"denied"');
    const json = await unattended(here, ALL_REFUSED, "--json");
    expect(json.exitCode).toBe(3);
    const last = JSON.parse(lastLine(json.stdout)) as { end: { kind: string; rule: string }; summary: RunSummary };
    expect(last.end).toMatchObject({ kind: "denied", rule: "no-network" });
    expect(last.summary).toMatchObject({ ending: "denied", done: [], refused: [{ what: "cat /etc/shadow" }, { what: "git push" }] });
  });

  test("ends at the fifth refusal of the same, in whatever words, and the model was told at the third", async () => {
    const here = place();
    const words = ["cat /etc/shadow", "head -1 /etc/shadow", "wc /etc/../etc/shadow", "sort /etc/shadow", "nl /etc/shadow", "ls"];
    const end = await unattended(here, play(...words.map(shell), 'say: "Done."'), "--json");
    expect(end.exitCode).toBe(3);
    const events = end.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; text?: string; end?: unknown });
    const results = events.filter(({ kind }) => kind === "tool-result").map(({ text }) => /refused (\d) times for the same reason/u.exec(text ?? "")?.[1]);
    expect(results).toEqual([undefined, undefined, "3", "4", "5"]);
    expect(events.at(-1)?.end).toMatchObject({ kind: "denied", rule: "forbidden-path", turns: 5 });
  });

  test("is done where it went another way and succeeded", async () => {
    const here = place();
    const end = await unattended(here, play(shell("cat /etc/shadow"), shell("echo hi > note.txt"), 'say: "Noted."'));
    expect(end.exitCode).toBe(0);
    expect(lastLine(end.stdout)).toMatch(/^Review: warder changes diff run-\w+, then warder changes apply run-\w+ \(or discard\)$/u);
  });
});

describeWithDocker("what is said to have happened", () => {
  test("has happened: a call that changed nothing failed, everywhere", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "a.txt"), "old\n");
    const turns = play(
      'calls: [{ tool: write_file, input: { path: "a.txt", content: "new" } }, { tool: edit_file, input: { path: "a.txt", old_string: "none", new_string: "x" } }, { tool: edit_file, input: { path: "a.txt", old_words: "old", new_string: "x" } }]',
      shell("cat missing.txt; exit 128"),
      shell("echo made > made.txt"),
      'say: "Tried."',
    );
    const end = await unattended(here, turns);
    expect(end.exitCode).toBe(0);
    expect(end.stdout).toMatch(/write_file {2}a\.txt\n {2}allow.*\n {2}└ failed in .*\n {4}The file exists and was not read in this run/u);
    expect(end.stdout).toMatch(/ {2}└ exit 128 in /u);
    expect(end.stdout).toMatch(
      /Done \(1\):\n {2}shell echo made > made\.txt\nFailed \(4\):\n {2}write_file a\.txt: failed: The file exists.*\n {2}edit_file a\.txt: failed: a\.txt: old_string does not occur.*\n {2}edit_file a\.txt: rejected: Invalid arguments for edit_file: there is no argument old_words.*\n {2}shell cat missing\.txt; exit 128: exit 128\nChanged \(1\):\n {2}made\.txt\nCost: /u,
    );
    const json = await unattended(here, turns, "--json");
    const last = JSON.parse(lastLine(json.stdout)) as { summary: RunSummary };
    expect(last.summary.failed).toMatchObject([{ tool: "write_file", outcome: "failed" }, { tool: "edit_file" }, { outcome: "rejected" }, { exitCode: 128 }]);
    const outcomes = (await warder(here, ["audit", "tail", "--kind", "outcome", "--json", "--limit", "10"])).stdout;
    expect(outcomes.match(/"outcome":"failed"/gu)).toHaveLength(4);
  });
});

describeWithDocker("a run that a person watches", () => {
  test("ends with what was refused, what changed, what it cost, its name and what to type next", async () => {
    const here = place();
    const model = script(here, play(shell("cat /etc/shadow"), shell("echo hi > note.txt"), 'say: "Noted."'));
    const end = await warder(here, ["run", "--policy", "unattended", "--model", model, "Note it."]);
    expect(end.exitCode).toBe(0);
    expect(end.stdout).toMatch(
      /Summary of (run-\w+): done\nDone: 1 call\nRefused \(1\):\n {2}shell cat \/etc\/shadow: forbidden-path .*\nChanged \(1\):\n {2}note\.txt\nCost: 3 turns, \d+ tokens.*\nReview: warder changes diff \1, then warder changes apply \1 \(or discard\)\n$/u,
    );
  });

  test("says at Ctrl-C how it is continued, and continues so", async () => {
    const here = place();
    const model = script(here, play(shell("sleep 300"), 'say: "Slept."'));
    const child = startWarder(here, ["run", "--policy", "unattended", "--model", model, "Sleep."]);
    const output = { stdout: "", stderr: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
    await until("the command begins", () => openState(here).permits("sleep 300") === 1);
    child.kill("SIGINT");
    expect(await exitCodeOf(child)).toBe(130);
    const [, run = ""] = /Summary of (run-\w+): cancelled/u.exec(output.stdout) ?? [];
    expect(output.stderr).toContain(`Stopping; Ctrl-C again ends it at once. Continue: warder run --resume ${run}`);
    expect(lastLine(output.stdout)).toBe(`Continue: warder run --resume ${run}`);
    expect((await warder(here, ["run", "--resume", run])).exitCode).toBe(0);
  });
});

describeWithDocker("warder schedule run NAME", () => {
  const add = async (here: Place, text: string, ...more: readonly string[]): Promise<void> => {
    const terminal = warderAtTerminal(here, ["schedule", "add", "nightly", "--cron", "@yearly", "--model", script(here, text), ...more, "--", "do it"]);
    await terminal.shows(/type: nightly/u);
    terminal.type("nightly\r");
    expect(await terminal.ended).toBe(0);
  };

  test("ends as the run does: denied, and it is in the news", async () => {
    const here = place();
    const told = join(here.root, "told.jsonl");
    await add(here, ALL_REFUSED, "--notify", `file:${told}`);
    const end = await warder(here, ["schedule", "run", "nightly"]);
    expect(end.exitCode).toBe(3);
    expect(end.stdout).toMatch(/nightly: run-\w+ ended: denied \(2 of 2 calls were refused, the last by rule no-network, and no other/u);
    expect(lastLine(end.stdout)).toMatch(/^Denied: it ended without success after 2 refusals/u);
    expect(JSON.parse(readFileSync(told, "utf8"))).toMatchObject({ outcome: "denied", detail: expect.stringContaining("rule"), summary: { ending: "denied" } });
    expect((await warder(here, ["schedule", "list"])).stdout).toContain("denied");
  });

  test.each([
    ["failed", 1, play(shell("echo one"), '{ when: { result-contains: "two" }, say: "Seen." }')],
    ["parked", 4, play(shell("rm a.txt"), 'say: "Gone."')],
    ["done", 0, play(shell("echo hi > note.txt"), 'say: "Noted."')],
  ])("ends as the run does: %s", async (word, exitCode, text) => {
    const here = place();
    writeFileSync(join(here.root, "ask.yaml"), "version: 1\nname: ask\nextends: unattended\ncommands: { effects: { deletes: ask } }\n");
    writeFileSync(join(here.workspace, "a.txt"), "a");
    await add(here, text, "--policy", join(here.root, "ask.yaml"));
    const end = await warder(here, ["schedule", "run", "nightly"]);
    expect(end.exitCode).toBe(exitCode);
    expect(end.stdout).toMatch(new RegExp(`ended: ${word}`, "u"));
    expect(end.stdout).toMatch(new RegExp(`Summary of run-\\w+: ${word}`, "u"));
  });

  test("says what ended it before it began: a sandbox that is not there", async () => {
    const here = place();
    await add(here, ALL_REFUSED);
    const end = await warder(here, ["schedule", "run", "nightly"], { environment: { DOCKER_HOST: "unix:///tmp/no-engine.sock" } });
    expect(end.exitCode).toBe(6);
    expect(end.stdout).toContain("ended: failed");
  });
});
