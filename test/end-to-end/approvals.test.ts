import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPolicyFile } from "../../src/config/policy/files.ts";
import { trustPolicy } from "../../src/config/policy/trust.ts";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place } from "../support/test-place.ts";
import { warder } from "../support/warder-cli.ts";

const TOUCH = ["exec", "--policy", "supervised", "--", "touch new-file"];

describeWithDocker("approvals at the terminal", () => {
  test("show the whole card, and run the command once it is granted", async () => {
    const here = place();
    const terminal = warderAtTerminal(here, TOUCH);
    await terminal.shows(/Allow\?/u);
    expect(terminal.screen()).toContain("touch new-file");
    expect(terminal.screen()).toContain(join(here.workspace, "new-file"));
    expect(terminal.screen()).toMatch(/baseline-supervised-medium \(policies\/supervised\.yaml:\d+\)/u);
    terminal.type("o");
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(here.workspace, "new-file"))).toBe(true);
    const { stdout } = await warder(here, ["audit", "tail", "--json"]);
    expect(stdout).toMatch(/"kind":"approval-answered".*"answer":"granted"/u);
  });

  test("keys that were typed before the question do not answer it", async () => {
    const here = place();
    const terminal = warderAtTerminal(here, TOUCH);
    terminal.type("o\ro\ro\r");
    await terminal.shows(/Allow\?/u);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(existsSync(join(here.workspace, "new-file"))).toBe(false);
    terminal.type("n");
    expect(await terminal.ended).toBe(3);
    expect(existsSync(join(here.workspace, "new-file"))).toBe(false);
  });

  test("high risk wants the word that the card shows", async () => {
    const here = place();
    const terminal = warderAtTerminal(here, ["exec", "--policy", "supervised", "--", "no-such-program; touch made"]);
    await terminal.shows(/Allow\?/u);
    terminal.type("o");
    // A slip is no refusal; the third wrong word is one.
    for (const times of [1, 2, 3]) {
      await terminal.shows(new RegExp(`(?:type this word[^]*){${String(times)}}`, "u"));
      terminal.type("wrong\r");
    }
    expect(await terminal.ended).toBe(3);
    expect(existsSync(join(here.workspace, "made"))).toBe(false);
  });

  test("what was granted is told, and a grant for the run ends with it", async () => {
    const here = place();
    const granting = warderAtTerminal(here, ["exec", "--policy", "supervised", "--", "mkdir made"]);
    await granting.shows(/\[p\]attern[\s\S]*Allow\?/u);
    granting.type("p");
    await granting.shows(/For how long\?/u);
    granting.type("r\r");
    expect(await granting.ended).toBe(0);
    const { grants } = JSON.parse((await warder(here, ["approvals", "grants", "--json"])).stdout) as { grants: { state: string; run: string | null }[] };
    expect(grants).toMatchObject([{ state: "expired", run: expect.stringMatching(/^run-/u) }]);
    expect((await warder(here, ["audit", "tail", "--json"])).stdout).toMatch(/"reason":"for the run: files written: [^"]*made"/u);
  });

  test("another terminal can refuse, and the question goes away", async () => {
    const here = place();
    const terminal = warderAtTerminal(here, TOUCH);
    await terminal.shows(/Allow\?/u);
    const listed = JSON.parse((await warder(here, ["approvals", "list", "--json"])).stdout) as { approvals: { id: string }[] };
    const id = listed.approvals[0]?.id ?? "";
    // Without a terminal there is no grant, only a refusal.
    expect((await warder(here, ["approvals", "grant", id])).exitCode).toBe(2);
    expect((await warder(here, ["approvals", "refuse", id, "--message", "use another name"])).exitCode).toBe(0);
    expect(await terminal.ended).toBe(3);
    expect(terminal.screen()).toContain("use another name");
    expect(existsSync(join(here.workspace, "new-file"))).toBe(false);
  });

  test("another terminal can grant, after it showed the same card", async () => {
    const here = place();
    const asking = warderAtTerminal(here, TOUCH);
    await asking.shows(/Allow\?/u);
    const listed = JSON.parse((await warder(here, ["approvals", "list", "--json"])).stdout) as { approvals: { id: string }[] };
    const answering = warderAtTerminal(here, ["approvals", "grant", listed.approvals[0]?.id ?? ""]);
    await answering.shows(/touch new-file[\s\S]*Allow\?/u);
    answering.type("o");
    expect(await answering.ended).toBe(0);
    expect(answering.screen()).toMatch(/: granted, once/u);
    expect(await asking.ended).toBe(0);
    expect(existsSync(join(here.workspace, "new-file"))).toBe(true);
  });
});

test("a policy in the workspace is loaded only after a person confirmed its text at a terminal, and no longer when it changed", async () => {
  const here = place();
  const policy = join(here.workspace, "warder.yaml");
  writeFileSync(policy, "version: 1\nname: own\nextends: supervised\n");
  expect(await warder(here, ["check", "--policy", policy, "true"])).toMatchObject({ exitCode: 78 });
  expect((await warder(here, ["policy", "trust", policy], { input: "trust\n" })).exitCode).toBe(2);
  const refusing = warderAtTerminal(here, ["policy", "trust", policy]);
  await refusing.shows(/type: trust/u);
  refusing.type("yes\r");
  expect(await refusing.ended).toBe(2);
  const trusting = warderAtTerminal(here, ["policy", "trust", policy]);
  await trusting.shows(/extends: supervised[\s\S]*type: trust/u);
  trusting.type("trust\r");
  expect(await trusting.ended).toBe(0);
  expect(await warder(here, ["check", "--policy", policy, "true"])).toMatchObject({ exitCode: 0 });
  writeFileSync(policy, "version: 1\nname: own\nextends: supervised\nautonomy: read-only\n");
  expect(await warder(here, ["check", "--policy", policy, "true"])).toMatchObject({ exitCode: 78 });
});

describeWithDocker("a policy that changed", () => {
  test("a changed policy shows at a terminal what it changes, and asks before a command begins; elsewhere it is refused", async () => {
    const here = place();
    const policy = join(here.workspace, "warder.yaml");
    writeFileSync(policy, "version: 1\nname: own\nextends: supervised\n");
    trustPolicy(readPolicyFile(policy, policy), here.state, new Date(0));
    writeFileSync(policy, "version: 1\nname: own\nextends: supervised\nautonomy: read-only\n");
    const exec = ["exec", "--policy", policy, "--", "true"];
    expect(await warder(here, exec)).toMatchObject({
      exitCode: 78,
      stderr: expect.stringContaining("See what it changes, and confirm it: warder policy trust"),
    });
    const declining = warderAtTerminal(here, exec);
    await declining.shows(
      /What this changes:[\s\S]*only tightens: as it was confirmed → as it is now[\s\S]*autonomy: supervised → read-only[\s\S]*type: trust/u,
    );
    declining.type("no\r");
    expect(await declining.ended).toBe(2);
    const agreeing = warderAtTerminal(here, exec);
    await agreeing.shows(/type: trust/u);
    agreeing.type("trust\r");
    expect(await agreeing.ended).toBe(0);
  });
});
