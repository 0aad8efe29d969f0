import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place, script } from "../support/test-place.ts";
import { type CliEnd, type Place, warder, writePolicy } from "../support/warder-cli.ts";

const HOOKS = `version: 1
name: nightly
extends: unattended
commands:
  effects: { deletes: ask }
hooks:
  - { id: starts, on: [run-start], script: "! grep -q 'forbidden task' || exit 2", because: "That is not for the night." }
  - { id: words, on: [prompt], script: "case $(cat) in *password*) echo 'It names a password.' >&2; exit 2;; *hurry*) exit 1;; esac", because: "Words are looked at." }
  - { id: asks, on: [ask], tools: [bash], script: "! grep -q never.txt || exit 2", because: "Nobody is woken for that." }
  - { id: parks, on: [park], script: "cat >/dev/null; echo noted >&2; exit 3", because: "It is noted." }
`;

const OWN = `version: 1
hooks:
  - id: own
    on: [stop]
    script: |
      if grep -q '"putOff":0'; then echo "Say it again." >&2; exit 2; fi
    because: "Twice is better."
`;

const DELETES = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "rm never.txt" } }, { tool: shell, input: { command: "rm old.txt" } }]
  - { when: { result-excludes: "never.txt: No" }, say: "Deleted." }
  - say: "Deleted, again."
  - say: "More."
  - say: "More, again."
`;

function settings(here: Place, text: string): void {
  mkdirSync(here.state, { mode: 0o700, recursive: true });
  writeFileSync(join(here.state, "settings.yaml"), text, { mode: 0o600 });
}

type Line = { readonly kind: string; readonly runId: string; readonly [key: string]: unknown };
const linesOf = ({ stdout }: CliEnd): readonly Line[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

async function recordsOf(here: Place, kind: string): Promise<readonly (readonly unknown[])[]> {
  const { stdout } = await warder(here, ["audit", "tail", "--json", "--kind", kind, "--limit", "200"]);
  return linesOf({ stdout } as CliEnd).map(({ hook, point, exitCode, did }) => [hook, point, exitCode ?? did]);
}

describeWithDocker("hooks of a policy and of the user's settings", () => {
  test("are run at each turning point of a run, over its parking and its end; others than it had want a person's word", async () => {
    const here = place();
    for (const name of ["old.txt", "never.txt"]) writeFileSync(join(here.workspace, name), name);
    const policy = writePolicy(here, "nightly", HOOKS);
    settings(here, OWN);
    const end = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "--model", script(here, DELETES), "Make room, hurry."]);
    expect(end.exitCode, end.stdout + end.stderr).toBe(4);
    const { runId = "" } = linesOf(end)[0] ?? {};
    expect(await recordsOf(here, "hook-command")).toEqual([
      ["starts", "run-start", 0],
      ["words", "prompt", 1],
      ["asks", "ask", 2],
      ["asks", "ask", 0],
      ["parks", "park", 3],
    ]);
    expect(await recordsOf(here, "run-hook")).toEqual([
      ["words", "prompt", "warned"],
      ["parks", "park", "warned"],
    ]);
    expect(linesOf(end).filter(({ kind }) => kind === "hook-command")).toHaveLength(5);

    const { approvals } = JSON.parse((await warder(here, ["approvals", "list", "--json"])).stdout) as { approvals: readonly { readonly id: string }[] };
    expect(approvals).toHaveLength(1);
    const terminal = warderAtTerminal(here, ["approvals", "grant", approvals[0]?.id ?? ""]);
    await terminal.shows(/Allow\?/u);
    terminal.type("o");
    expect(await terminal.ended).toBe(0);
    const resumed = await warder(here, ["run", "--resume", runId]);
    expect(resumed.exitCode, resumed.stdout + resumed.stderr).toBe(0);
    expect(resumed.stdout).toContain("hook own continued at stop: Say it again.");
    expect(resumed.stdout).toContain("Deleted, again.");
    expect((await recordsOf(here, "hook-command")).slice(5)).toEqual([
      ["starts", "run-start", 0],
      ["asks", "ask", 0],
      ["own", "stop", 2],
      ["own", "stop", 0],
    ]);

    // Another hook of the user's is another policy: nothing goes on before somebody said so.
    settings(here, OWN.replace("Twice is", "Three times are"));
    expect(await warder(here, ["run", "--continue", runId, "And more."])).toMatchObject({ exitCode: 4 });
    expect(await recordsOf(here, "hook-command")).toHaveLength(9);
  });

  test("keep a task out, and a further one before the run is taken up; nothing of that is left", async () => {
    const here = place();
    const policy = writePolicy(here, "nightly", HOOKS);
    const run = (task: string): Promise<CliEnd> =>
      warder(here, [
        "run",
        "--unattended",
        "--json",
        "--policy",
        policy,
        "--model",
        script(here, "protocol: anthropic\nturns:\n  - say: Hello.\n  - say: Again.\n"),
        task,
      ]);
    for (const [task, why] of [
      ["Do the forbidden task.", "hook starts: That is not for the night."],
      ["The password is x.", "hook words: It names a password."],
    ] as const) {
      const end = await run(task);
      expect(end.exitCode, end.stdout + end.stderr).toBe(3);
      expect(end.stdout).toContain(why);
    }
    const first = await run("Greet.");
    expect(first.exitCode, first.stdout + first.stderr).toBe(0);
    const { runId = "" } = linesOf(first)[0] ?? {};
    const before = readdirSync(join(here.state, "runs"));
    const kept = await warder(here, ["run", "--continue", runId, "Now tell the password."]);
    expect(kept).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("The task was not taken: hook words: It names a password.") });
    expect(readdirSync(join(here.state, "runs"))).toEqual(before);
    const taken = await warder(here, ["run", "--continue", runId, "Now again."]);
    expect(taken.exitCode, taken.stdout + taken.stderr).toBe(0);
    expect(taken.stdout).toContain("Again.");
  });

  test("of the settings hold for every policy, and a file that a run could change is none of theirs", async () => {
    const here = place();
    const own = (hook: string): void => settings(here, `version: 1\nhooks: [{ id: own, on: [before-tool], tools: [bash], because: "Not here.", ${hook} }]\n`);
    own("script: exit 2");
    expect(await warder(here, ["exec", "--policy", "reviewed", "--", "ls"])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("Denied by hook own: Not here."),
    });
    expect((await warder(here, ["check", "--policy", "reviewed", "ls"])).stdout).toContain("hooks: own may deny it in a run; none was run here\n");
    own(`command: [sh, ${join(here.workspace, "check.sh")}]`);
    const refused = await warder(here, ["exec", "--policy", "reviewed", "--", "ls"]);
    expect(refused).toMatchObject({
      exitCode: 78,
      stderr: expect.stringMatching(/settings\.yaml:2:9: error: The hook `own` names .*, which a run could change\./u),
    });
    own("command: [no-such-program]");
    expect(await warder(here, ["exec", "--policy", "reviewed", "--", "ls"])).toMatchObject({
      exitCode: 78,
      stderr: expect.stringMatching(/The hook own \(.*settings\.yaml:2\) runs "no-such-program", which is not in the sandbox\./u),
    });
    const doctor = await warder(here, ["doctor", "--policy", "reviewed", "--json"]);
    expect((JSON.parse(doctor.stdout) as { sandbox: { properties: readonly unknown[] } }).sandbox.properties).toContainEqual(
      expect.objectContaining({ what: "programs of hooks", isMet: false }),
    );
  });
});
