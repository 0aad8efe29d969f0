import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TOTP, URI } from "otpauth";
import { expect, test } from "vitest";
import { warderAtTerminal, type TerminalSession } from "../support/pseudo-terminal.ts";
import { place } from "../support/test-place.ts";
import { warder } from "../support/warder-cli.ts";

async function confirm(terminal: TerminalSession, word: string): Promise<void> {
  await terminal.shows(new RegExp(`type: ${word}`, "u"));
  terminal.type(`${word}\r`);
}

test("two approvers are two persons only where one who is enrolled vouched for the second name", async () => {
  const here = place();
  const first = warderAtTerminal(here, ["approvals", "enroll", "ann"]);
  await confirm(first, "enroll");
  const [uri] = await first.shown(/otpauth:\S+/u);
  expect(await first.ended).toBe(0);
  const alone = warderAtTerminal(here, ["approvals", "enroll", "bob"]);
  await confirm(alone, "enroll");
  for (let round = 1; round <= 3; round += 1) {
    await alone.shows(new RegExp(`(?:One-time code: [^]*){${round}}`, "u"));
    alone.type("not-a-code\r");
  }
  expect(await alone.ended).toBe(2);
  expect(alone.screen()).toContain("Nobody was enrolled.");
  expect(alone.screen()).not.toContain("otpauth:");
  const vouched = warderAtTerminal(here, ["approvals", "enroll", "bob"]);
  await confirm(vouched, "enroll");
  await vouched.shows(/One-time code:/u);
  vouched.type(`${(URI.parse(uri) as TOTP).generate()}\r`);
  await vouched.shown(/otpauth:\S+/u);
  expect(await vouched.ended).toBe(0);
  expect(vouched.screen()).toContain("bob counts as another one than ann");
  expect((await warder(here, ["approvals", "enroll", "ann"])).stderr).toContain("ann is enrolled already");
  expect((await warder(here, ["audit", "tail", "--kind", "approver-enrolled", "--json"])).stdout).toMatch(/"by":"ann \(one-time code\)[^\n]*"person":"bob"/u);
});

test("nobody is enrolled whose enrolment cannot be recorded: their codes would be wanted, and nobody has them", async () => {
  const here = place();
  expect((await warder(here, ["stop", "--network"])).exitCode).toBe(0);
  rmSync(join(here.state, "keys", "audit.head"));
  const terminal = warderAtTerminal(here, ["approvals", "enroll", "ann"]);
  await confirm(terminal, "enroll");
  expect(await terminal.ended).toBe(1);
  expect(terminal.screen()).toContain("The audit log cannot be continued");
  expect(readdirSync(join(here.state, "keys")).filter((name) => name.startsWith("approver-"))).toEqual([]);
});
