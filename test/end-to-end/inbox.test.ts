import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { startCommandAtTerminal } from "../support/terminal-session.ts";
import { place, script } from "../support/test-place.ts";
import { type Place, warder, WARDER, writePolicy } from "../support/warder-cli.ts";

const play = (command: string): string =>
  `protocol: anthropic\nturns:\n  - calls: [{ tool: shell, input: { command: ${JSON.stringify(command)} } }]\n  - say: "Over."\n`;

async function runs(here: Place, command: string, task: string): Promise<{ readonly run: string; readonly exitCode: number | null }> {
  const policy = writePolicy(here, "ask", "version: 1\nname: ask\nextends: unattended\ncommands: { effects: { deletes: ask } }\n");
  const end = await warder(here, ["run", "--unattended", "--policy", policy, "--model", script(here, play(command)), task]);
  return { run: /run-\w+/u.exec(end.stdout)?.[0] ?? "", exitCode: end.exitCode };
}

describeWithDocker("warder inbox", () => {
  test("holds a question, changes and a refused run, until each is dealt with", async () => {
    const here = place();
    expect((await warder(here, ["inbox"])).stdout).toBe("Nothing waits for you.\n");
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const changed = await runs(here, "echo hi > note.txt", "Note it.");
    const refused = await runs(here, "cat /etc/shadow", "Read it.");
    const parked = await runs(here, "rm old.txt", "Make room.");
    expect([changed.exitCode, refused.exitCode, parked.exitCode]).toEqual([0, 3, 4]);
    const { stdout } = await warder(here, ["inbox"]);
    expect(stdout).toMatch(
      new RegExp(
        [
          "^3 things wait for you, the oldest first:",
          " *\\d.* changes   Note it\\.",
          ` +warder changes diff ${changed.run}`,
          " *\\d.* job       denied: Read it\\.",
          ` +warder audit tail --run ${refused.run}`,
          " *\\d.* question  rm old\\.txt",
          " +warder approvals show (approval-\\w+)\n$",
        ].join("\n"),
        "u",
      ),
    );
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect((await warder(here, ["runs"])).stdout.startsWith(stdout.slice(0, 40))).toBe(true);
    // On a low terminal the first screen has what waits; three runs are shown however low it is.
    for (const task of ["Look.", "Look on."]) await runs(here, "ls", task);
    const terminal = startCommandAtTerminal(`stty rows 16 cols 80; NO_COLOR=1 WARDER_HOME='${here.state}' '${WARDER}' runs`);
    await terminal.ended;
    expect(terminal.shown()).toMatch(/^3 things wait for you/u);
    expect(terminal.shown()).toContain("and 2 older: warder runs --all");
    expect(
      Math.max(
        ...terminal
          .shown()
          .split(/\r?\n/u)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);

    const approval = /approval-\w+/u.exec(stdout)?.[0] ?? "";
    expect((await warder(here, ["approvals", "refuse", approval])).exitCode).toBe(0);
    expect((await warder(here, ["changes", "apply", changed.run])).exitCode).toBe(0);
    const { items } = JSON.parse((await warder(here, ["inbox", "--json"])).stdout) as { items: readonly { kind: string; what: string; next: string }[] };
    expect(items).toMatchObject([
      { kind: "job", what: "denied: Read it." },
      { kind: "run", what: "refused: Make room.", next: `warder run --resume ${parked.run}` },
    ]);
  });
});
