import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { place } from "../../support/test-place.ts";
import { startWarder, type Place } from "../../support/warder-cli.ts";
import { exitCodeOf } from "../../support/until.ts";

type Stream = "stdout" | "stderr";

/** The exit code where nobody reads the streams any more, from before the first word on. */
async function exitCodeUnread(here: Place, argv: readonly string[], unread: readonly Stream[]): Promise<number | null> {
  const child = startWarder(here, argv);
  for (const stream of ["stdout", "stderr"] as const) {
    if (unread.includes(stream)) child[stream]?.destroy();
    else child[stream]?.resume();
  }
  child.stdin?.end();
  return await exitCodeOf(child);
}

const EVERYTHING: readonly Stream[] = ["stdout", "stderr"];

describe("a command whose reader went away keeps its exit code", () => {
  test.each([
    ["a denial", ["check", "rm -rf /"]],
    ["a denial, by the whole command line", ["check", "--containment=profile", "rm -rf /"]],
  ])("%s is none less", async (_name, argv) => {
    expect(await exitCodeUnread(place(), argv, ["stdout"])).toBe(3);
    expect(await exitCodeUnread(place(), argv, EVERYTHING)).toBe(3);
  });

  test("an allowance is one", async () => {
    expect(await exitCodeUnread(place(), ["check", "ls"], EVERYTHING)).toBe(0);
  });

  test("a policy with an error is said by the exit code, though nobody reads the message", async () => {
    const here = place();
    const policy = join(here.root, "bad.yaml");
    writeFileSync(policy, "version: 1\nname: bad\nautonomie: full\n");
    expect(await exitCodeUnread(here, ["policy", "check", policy], ["stderr"])).toBe(78);
    expect(await exitCodeUnread(here, ["policy", "check", policy], EVERYTHING)).toBe(78);
  });

  test("a call that nobody knows is said so, too", async () => {
    expect(await exitCodeUnread(place(), ["audit", "show", "call-x"], EVERYTHING)).toBe(2);
  });
});
