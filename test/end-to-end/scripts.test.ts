import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { openState } from "../support/open-state.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place, script } from "../support/test-place.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { type Place, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

/** Thirty calls of a coding task: modules that use an old name are found, read, changed and run. */
const TASK = `
const names = Array.from({ length: 8 }, (_, index) => "part" + index + ".js");
await Promise.all(names.map((path, index) => tools.write_file({ path, content: "exports.oldName = () => " + index + ";\\n" })));
const found = (await tools.grep_search({ pattern: "oldName", mode: "files" })).split("\\n").filter((line) => line.endsWith(".js")).sort();
const texts = await Promise.all(found.map((path) => tools.read_file({ path })));
for (const path of found) await tools.edit_file({ path, old_string: "oldName", new_string: "newName" });
await tools.shell({ command: "rm old.txt" });
const refused = await tools.read_file({ path: ".env" }).catch((error) => error.name);
const sum = await tools.repl({ language: "node", code: "console.log(" + JSON.stringify(names) + ".map((n) => require('./' + n).newName()).reduce((a, b) => a + b))" });
await tools.write_file({ path: "sum.txt", content: String(sum) });
const listed = await tools.list_files({});
console.log("read", texts.length, typeof tools.script);
return { found: found.length, refused, sum, hasOld: listed.includes("old.txt") };`;

type Run = { readonly id: string; readonly state: string; readonly parkedOn: string | null };
const runOf = async (here: Place): Promise<Run | undefined> => (JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: Run[] }).runs[0];

const scripted = (here: Place, turns: readonly unknown[]): string => script(here, JSON.stringify({ protocol: "anthropic", turns }));

describeWithDocker("a script of a run's model", () => {
  test("does a task of thirty calls in one turn, waits for a person in the middle of it, and goes on", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const policy = writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\ncommands:\n  effects: { deletes: ask }\n");
    const model = scripted(here, [
      { calls: [{ tool: "repl", input: { language: "python", code: "print('it\\'s', 6 * 7)" } }] },
      { when: { "result-contains": "it's 42" }, calls: [{ tool: "script", input: { code: TASK, seed: 1 } }] },
      { when: { "result-contains": '"hasOld":false' }, say: "Done." },
    ]);
    const parked = await warder(here, ["run", "--unattended", "--policy", policy, "--model", model, "Rename it."]);
    expect(parked.exitCode).toBe(4);
    const run = await runOf(here);
    const shown = (await warder(here, ["approvals", "show", run?.parkedOn ?? ""])).stdout;
    expect(shown).toContain("rm old.txt");
    const terminal = warderAtTerminal(here, ["approvals", "grant", run?.parkedOn ?? ""]);
    await terminal.shows(/Allow\?/u);
    terminal.type("o");
    expect(await terminal.ended).toBe(0);
    const end = await warder(here, ["run", "--resume", run?.id ?? ""]);
    expect(end.stdout).toContain("Done.");
    expect(end.exitCode).toBe(0);
    const { stdout } = await warder(here, ["audit", "tail", "--json", "--limit", "1000"]);
    const records = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; call?: string; does?: string; outcome?: string; result?: unknown });
    const said = (call: (record: { call?: string }) => boolean): string =>
      JSON.stringify(records.filter((record) => record.kind === "outcome" && call(record)).map(({ result }) => result));
    expect(said(({ call = "" }) => !call.includes("."))).toMatch(/found\\+":8,\\+"refused\\+":\\+"ToolError[\s\S]*stdout:\\+n28[\s\S]*read 8 undefined/u);
    // Each was permitted once, though the script ran twice.
    const writes = records
      .filter(({ kind, call = "", does }) => kind === "permit-spent" && call.includes(".") && does === "write-file")
      .map(({ call }) => call);
    expect([writes.length, new Set(writes).size]).toEqual([17, 17]);
    const called = new Set(records.flatMap(({ kind, call = "" }) => (kind === "call" && call.includes(".") ? [call] : [])));
    expect(called.size).toBe(30);
    const story = (await warder(here, ["runs", "show", run?.id ?? ""])).stdout;
    expect(story).toMatch(/▸ script [\s\S]*▸ in the script: write_file[\s\S]*… 10 more calls of the script/u);
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });

  test("goes on after Warder was killed: what was under way is told to it, and nothing is done again", async () => {
    const here = place();
    const code = `
      await tools.shell({ command: "echo one >> log.txt" });
      const second = await tools.shell({ command: "echo two >> log.txt; sleep 300" }).catch((error) => error.message.match(/Interrupted:/)[0]);
      return [second, await tools.shell({ command: "cat log.txt" })];`;
    const model = scripted(here, [
      { calls: [{ tool: "script", input: { code } }] },
      { when: { "result-contains": '["Interrupted:","exit code: 0\\nstdout:\\none\\n'.replaceAll("\n", "\\n") }, say: "Done." },
    ]);
    const child = startWarder(here, ["run", "--unattended", "--policy", "unattended", "--model", model, "Go."]);
    await until("the second command begins", () => openState(here).permits() === 2);
    child.kill("SIGKILL");
    await exitCodeOf(child);
    const run = await runOf(here);
    const end = await warder(here, ["run", "--resume", run?.id ?? ""]);
    expect([end.exitCode, end.stdout]).toEqual([0, expect.stringContaining("Done.")]);
    // Whether the second command came to its first word before the kill, nobody knows.
    expect((await warder(here, ["changes", "diff", run?.id ?? ""])).stdout).toMatch(/^\+one\n(?:\+two\n)?(?![+])/mu);
  });
});
