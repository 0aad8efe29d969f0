import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunStory } from "../../src/app/story/story.ts";
import { describeWithDocker } from "../support/docker.ts";
import { openState } from "../support/open-state.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { untilWritten } from "../support/inside-run.ts";
import { place } from "../support/test-place.ts";
import { exitCodeOf } from "../support/until.ts";
import { OPENED, type Place, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

/** A policy that lets code run unread, and asks before history is made. */
const ASKS_BEFORE_COMMITS = "version: 1\nname: nightly\nextends: unattended\ncommands:\n  effects: { deletes: ask }\n";

function script(here: Place, turns: string): string {
  const path = join(here.root, "script.yaml");
  writeFileSync(path, `protocol: anthropic\nturns:\n${turns}`);
  return `scripted:${path}`;
}

const DELETES = `
  - say: "Making room."
    calls:
      - { tool: write_file, input: { path: "new.txt", content: "new" } }
      - { tool: shell, input: { command: "rm old.txt" } }
      - { tool: shell, input: { command: "ls; cat new.txt" } }
  - when: { result-contains: "new" , result-excludes: "old.txt" }
    say: "Done."
`;

type Run = { id: string; state: string; parkedOn: string | null };
const runsOf = async (here: Place): Promise<Run[]> => (JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: Run[] }).runs;

async function parkedRun(here: Place, turns = DELETES): Promise<{ run: string; approval: string }> {
  writeFileSync(join(here.workspace, "old.txt"), "old");
  const policy = writePolicy(here, "nightly", ASKS_BEFORE_COMMITS);
  const end = await warder(here, ["run", "--unattended", "--policy", policy, "--model", script(here, turns), "Make room."]);
  expect(end).toMatchObject({ exitCode: 4, stderr: expect.stringMatching(OPENED) });
  const [run] = await runsOf(here);
  expect(run?.state).toBe("parked");
  return { run: run?.id ?? "", approval: run?.parkedOn ?? "" };
}

async function answer(here: Place, approval: string, keys: string): Promise<void> {
  const terminal = warderAtTerminal(here, ["approvals", "grant", approval]);
  await terminal.shows(/Allow\?/u);
  terminal.type(keys);
  expect(await terminal.ended).toBe(0);
}

describeWithDocker("a parked run", () => {
  test("waits with exit code 4, is answered from another terminal, and goes on with its conversation and its changes", async () => {
    const here = place();
    const { run, approval } = await parkedRun(here);
    expect((await warder(here, ["approvals", "show", approval])).stdout).toMatch(/rm old\.txt[\s\S]*State: pending/u);
    expect((await warder(here, ["changes", "list", run])).stdout).toMatch(/added\s+new\.txt/u);
    // Nobody has answered: nothing is done, and it still waits.
    expect(await warder(here, ["run", "--resume", run])).toMatchObject({ exitCode: 4 });
    await answer(here, approval, "o");
    const end = await warder(here, ["run", "--resume", run]);
    expect(end).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(OPENED) });
    expect(end.stdout).toContain("Done.");
    expect((await runsOf(here))[0]?.state).toBe("done");
    expect((await warder(here, ["changes", "list", run])).stdout).toMatch(/^added\s+new\.txt.*\ndeleted\s+old\.txt/u);
    expect((await warder(here, ["audit", "verify"])).stdout).not.toContain("the log stops here");
    expect(await warder(here, ["run", "--resume", run])).toMatchObject({ exitCode: 2 });
    const { stdout } = await warder(here, ["audit", "tail", "--json", "--limit", "100"]);
    expect(stdout.match(/"kind":"approval-requested"/gu)).toHaveLength(1);
    const { turns } = JSON.parse((await warder(here, ["runs", "show", run, "--json"])).stdout) as RunStory;
    expect(turns.map(({ calls }) => calls.map(({ about }) => about))).toEqual([["new.txt", "rm old.txt", "ls; cat new.txt"], []]);
    expect((await warder(here, ["runs", "show", run])).stdout).toMatch(/▸ shell {2}rm old\.txt\n[^▸]*granted by \S+@terminal/u);
  });

  test("asks all that one turn wants at once: one morning's answers, one resumption", async () => {
    const here = place();
    for (const name of ["one.txt", "two.txt"]) writeFileSync(join(here.workspace, name), name);
    const calls = ["one", "two", "old"].map((name) => `      - { tool: shell, input: { command: "rm ${name}.txt" } }\n`).join("");
    const asked = '      - { tool: ask_user, input: { question: "Which colour?", choices: [blue, green] } }\n';
    const { run, approval } = await parkedRun(
      here,
      `\n  - calls:\n${calls}${asked}  - when: { result-contains: "The person answered: green" }\n    say: "Done."\n`,
    );
    const { approvals } = JSON.parse((await warder(here, ["approvals", "list", "--json"])).stdout) as {
      approvals: { id: string; card: { commands: string[] } }[];
    };
    expect(approvals.map(({ card }) => card.commands)).toEqual([["rm one.txt"], ["rm two.txt"], ["rm old.txt"], []]);
    expect(approvals[0]?.id).toBe(approval);
    expect((await warder(here, ["approvals", "show", approval])).stdout).toMatch(
      /Asked together with 3 more of this turn[\s\S]*rm two\.txt[\s\S]*rm old\.txt/u,
    );
    for (const { id } of approvals.slice(0, 3)) await answer(here, id, "o");
    const terminal = warderAtTerminal(here, ["approvals", "grant", approvals[3]?.id ?? ""]);
    await terminal.shows(/Answer\?/u);
    expect(terminal.screen()).toContain("Which colour?");
    terminal.type("2");
    expect(await terminal.ended).toBe(0);
    expect(await warder(here, ["run", "--resume", run])).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(OPENED) });
    expect((await warder(here, ["changes", "list", run])).stdout.match(/^deleted/gmu)).toHaveLength(3);
    expect((await warder(here, ["audit", "verify"])).stdout).not.toContain("the log stops here");
  });

  test("is told a person's no, and goes on without", async () => {
    const here = place();
    const turns = DELETES.replace('result-contains: "new" , result-excludes: "old.txt"', 'result-contains: ["They said: keep it", "old.txt"]');
    const { run, approval } = await parkedRun(here, turns);
    expect((await warder(here, ["approvals", "refuse", approval, "--message", "keep it"])).exitCode).toBe(0);
    const end = await warder(here, ["run", "--resume", run]);
    expect(end).toMatchObject({ exitCode: 0 });
    expect((await warder(here, ["changes", "list", run])).stdout).not.toContain("old.txt");
  });

  test("a file that the approval is about was changed meanwhile: the yes is void, and asked again with the difference", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "go.sh"), "echo fine");
    const policy = writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\ncommands:\n  effects: { runs-code: ask }\n");
    const model = script(here, '  - calls: [{ tool: shell, input: { command: "bash go.sh" } }]\n  - when: { result-contains: "fine too" }\n    say: "Ran."\n');
    expect(await warder(here, ["run", "--unattended", "--policy", policy, "--model", model, "Go."])).toMatchObject({ exitCode: 4 });
    const [first] = await runsOf(here);
    const terminal = warderAtTerminal(here, ["approvals", "grant", first?.parkedOn ?? ""]);
    await terminal.shows(/Allow\?/u);
    terminal.type("o");
    expect(await terminal.ended).toBe(0);
    writeFileSync(join(here.workspace, "go.sh"), "echo fine too");
    const again = await warder(here, ["run", "--resume", first?.id ?? ""]);
    expect(again).toMatchObject({ exitCode: 4 });
    const [second] = await runsOf(here);
    expect(second?.parkedOn).not.toBe(first?.parkedOn);
    const card = (await warder(here, ["approvals", "show", second?.parkedOn ?? ""])).stdout;
    expect(card).toMatch(/VOID, because it changed since[\s\S]*go\.sh[\s\S]*It would:/u);
    expect((await warder(here, ["approvals", "show", first?.parkedOn ?? ""])).stdout).toContain("State: void");
    const answering = warderAtTerminal(here, ["approvals", "grant", second?.parkedOn ?? ""]);
    await answering.shows(/Allow\?/u);
    answering.type("o");
    expect(await answering.ended).toBe(0);
    expect(await warder(here, ["run", "--resume", first?.id ?? ""])).toMatchObject({ exitCode: 0 });
  });

  test("keeps no value of a passed variable that stands in its task", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const policy = writePolicy(
      here,
      "nightly",
      "version: 1\nname: nightly\nextends: base\nautonomy: full\nworkspace: { roots: [{ path: '.', access: read-write }] }\ncommands: { effects: { deletes: ask } }\nsandbox: { runtime: docker, workspace: transactional, env: [DEPLOY_TOKEN], network: { allow: [] } }\nunattended: { on-ask: park }\n",
    );
    const environment = { DEPLOY_TOKEN: "q7Zr2p" };
    const words = ["run", "--unattended", "--json", "--policy", policy, "--model", script(here, DELETES), "Make room with q7Zr2p."];
    const end = await warder(here, words, { environment });
    expect(end).toMatchObject({ exitCode: 4 });
    expect(end.stdout).toContain("Make room with [redacted: DEPLOY_TOKEN].");
    const database = openState(here);
    expect([database.runs("Make room with q7Zr2p."), database.runs("Make room with [redacted: DEPLOY_TOKEN].")]).toEqual([0, 1]);
    expect((await warder(here, ["runs", "--json"])).stdout).not.toContain("q7Zr2p");
  });

  test("under a changed policy it wants a person's word before it goes on, and the earlier yes is void", async () => {
    const here = place();
    const { run, approval } = await parkedRun(here);
    await answer(here, approval, "o");
    writeFileSync(join(here.root, "nightly.yaml"), `${ASKS_BEFORE_COMMITS}limits:\n  run: { turns: 7 }\n`);
    expect(await warder(here, ["run", "--resume", run])).toMatchObject({ exitCode: 4 });
    const question = (await runsOf(here))[0]?.parkedOn ?? "";
    expect(question).not.toBe(approval);
    const terminal = warderAtTerminal(here, ["approvals", "grant", question]);
    await terminal.shows(/- policy: limits\.run\.turns: 50[\s\S]*\+ policy: limits\.run\.turns: 7[\s\S]*Allow\?/u);
    terminal.type("o");
    const [, word = ""] = await terminal.shown(/type this word: (\S+)/u);
    terminal.type(`${word}\r`);
    expect(await terminal.ended).toBe(0);
    // The policy is agreed on; the deletion that was approved under the other one is asked again.
    expect(await warder(here, ["run", "--resume", run])).toMatchObject({ exitCode: 4 });
    const again = (await runsOf(here))[0]?.parkedOn ?? "";
    expect([approval, question]).not.toContain(again);
    await answer(here, again, "o");
    expect(await warder(here, ["run", "--resume", run])).toMatchObject({ exitCode: 0 });
    const story = (await warder(here, ["audit", "tail", "--json", "--limit", "200", "--run", run])).stdout;
    expect(story).toMatch(new RegExp(`"kind":"approval-requested".*"approval":"${question}".*"rule":"policy-changed"`, "u"));
    expect(story).toMatch(new RegExp(`"kind":"approval-answered".*"answer":"granted","approval":"${question}"`, "u"));
  });
});

describeWithDocker("a run that was killed in the middle of a command", () => {
  test("goes on from its last step; what may have happened is told to the model and not done again", async () => {
    const here = place();
    const count = "echo once >> count; sleep 300";
    const model = script(
      here,
      `  - calls: [{ tool: shell, input: { command: "${count}" } }]\n  - when: { result-contains: "It was NOT done again" }\n    calls: [{ tool: shell, input: { command: "cat count" } }]\n  - when: { result-contains: "once", result-excludes: "once\\nonce" }\n    say: "Seen."\n`,
    );
    const child = startWarder(here, ["run", "--unattended", "--model", model, "Count."]);
    await untilWritten(here, "count", "once\n");
    child.kill("SIGKILL");
    await exitCodeOf(child);
    const [killed] = await runsOf(here);
    expect(killed?.state).toBe("killed");
    const end = await warder(here, ["run", "--resume", killed?.id ?? ""]);
    expect(end.stdout).toContain("Seen.");
    expect(end.exitCode).toBe(0);
    expect(existsSync(join(here.workspace, "count"))).toBe(false);
    expect((await warder(here, ["changes", "apply", killed?.id ?? "", "--yes"])).exitCode).toBe(0);
    expect(readFileSync(join(here.workspace, "count"), "utf8")).toBe("once\n");
  });
});
