import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunSummary } from "../../src/app/run/summary.ts";
import type { RunStory } from "../../src/app/story/story.ts";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { isWhole } from "../support/extent.ts";
import { place, script } from "../support/test-place.ts";
import { type CliEnd, type Place, warder } from "../support/warder-cli.ts";

// The real program. How a workspace goes back differs by runtime for a user who is not root (test/end-to-end/ordinary-user.test.ts). Root mounts it
// the same way for each: that, and what records alone decide, is done on one runtime, and in a whole run on each.

const RUNTIMES = [
  ["docker", dockerRuntime()],
  ["bubblewrap", bubblewrapRuntime()],
] as const;

const PLAY = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo one > a.txt && chmod 755 a.txt && mkdir d && echo in > d/in.txt && rm base.txt && ln -s a.txt link && ln a.txt hard" } }]
  - calls: [{ tool: shell, input: { command: "cat a.txt" } }]
  - calls: [{ tool: shell, input: { command: "echo three >> a.txt && rm d/in.txt && rmdir d && mkdir d && echo new > d/new.txt && echo back > base.txt && chmod 600 a.txt" } }]
  - say: "All is made."
`;

const BOUND = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo one > a.txt" } }]
  - calls: [{ tool: shell, input: { command: "echo three >> a.txt" } }]
  - say: "All is made."
`;

const ASKS = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo one > a.txt" } }]
  - calls: [{ tool: shell, input: { command: "rm a.txt" } }]
  - say: "All is made."
`;

type Line = { readonly kind: string; readonly runId: string; readonly text?: string; readonly summary?: RunSummary };

function linesOf({ stdout }: CliEnd): readonly Line[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const found = await Promise.all(RUNTIMES.map(async ([runtime, ready]) => ({ runtime, ...(await ready.check()) })));
const isRoot = process.getuid?.() === 0;
const first = found.find(({ isReady }) => isReady)?.runtime;

for (const { runtime, isReady, detail } of found) {
  const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

  if (!isWhole && isRoot && isReady && runtime !== first) continue;

  group(isReady ? `the turns of a run, on ${runtime}` : `the turns of a run, on ${runtime} [skipped: ${detail}]`, () => {
    async function played(text = PLAY, sealed = "workspace: transactional"): Promise<{ readonly here: Place; readonly run: string; readonly policy: string }> {
      const here = place();
      writeFileSync(join(here.workspace, "base.txt"), "base\n");
      const policy = join(here.root, "sealed.yaml");
      writeFileSync(
        policy,
        `version: 1\nname: sealed\nautonomy: full\nworkspace: { roots: [{ path: ".", access: read-write }] }\ncommands: { effects: { deletes: allow } }\nsandbox: { runtime: ${runtime}, ${sealed}, network: { allow: [] } }\n`,
      );
      const end = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "--model", script(here, text), "Make it."]);
      expect(end.exitCode, end.stdout + end.stderr).toBe(0);
      return { here, policy, run: linesOf(end)[0]?.runId ?? "" };
    }
    const changesOf = async (here: Place, run: string): Promise<string> => (await warder(here, ["changes", "diff", run])).stdout;
    const storyOf = async (here: Place, run: string): Promise<RunStory> => JSON.parse((await warder(here, ["runs", "show", run, "--json"])).stdout) as RunStory;

    test("can be gone back to: conversation, counts and workspace are as they were then, and what was spent stays spent", async () => {
      const { here, run } = await played();
      const before = await storyOf(here, run);
      expect(before.points).toEqual([0, 1, 2, 3, 4].map((turn) => ({ turn, obstacle: null })));
      const later = await changesOf(here, run);
      expect(later).toContain("+three");

      const end = await warder(here, ["runs", "rewind", run, "--to", "2"]);
      expect(end.exitCode, end.stderr).toBe(0);
      expect(end.stdout).toContain(`${run} went back from turn 4 to turn 2; its workspace is as it was then.`);
      const then = await changesOf(here, run);
      expect(then).toContain("+one");
      expect(then).toContain("d/in.txt");
      expect(then).toContain("-base");
      expect(then).not.toMatch(/three|new\.txt|back/u);

      const after = await storyOf(here, run);
      expect(after.turns.map(({ turn, standing }) => [turn, standing])).toEqual([
        [1, "holds"],
        [2, "holds"],
        [null, "taken-back"],
        [null, "taken-back"],
      ]);
      expect(after.models).toEqual(before.models);
      expect(after.points.map(({ turn }) => turn)).toEqual([0, 1, 2]);

      const more = await warder(here, ["run", "--json", "--continue", run, "--model", script(here, PLAY), "Go another way."]);
      expect(more.exitCode, more.stdout + more.stderr).toBe(0);
      expect(linesOf(more).at(-1)?.summary?.cost.turns).toBe(6);
      const log = await warder(here, ["audit", "tail", "--run", run, "--json"]);
      expect(log.stdout).toContain('"kind":"run-rewound"');
      expect(log.stdout).toContain("echo three >> a.txt");
      expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
    });

    test("can be forked from: a run of its own has what was then, and the other one stays as it is", async () => {
      const { here, run } = await played();
      const [story, changes] = [await storyOf(here, run), await changesOf(here, run)];
      const look = `protocol: anthropic\nturns:\n${"  - say: played before\n".repeat(2)}  - calls: [{ tool: shell, input: { command: "cat a.txt d/in.txt && stat -c %a a.txt && readlink link && test a.txt -ef hard && ! ls base.txt d/new.txt && echo LOOKED" } }]\n  - { when: { result-contains: "LOOKED" }, say: "As it was." }\n`;
      const end = await warder(here, ["run", "--unattended", "--json", "--fork", `${run}@2`, "--model", script(here, look), "Look."]);
      expect(end.exitCode, end.stdout + end.stderr).toBe(0);
      const fork = linesOf(end)[0]?.runId ?? "";
      expect(fork).not.toBe(run);
      expect(linesOf(end).at(-1)?.summary).toMatchObject({ run: fork, ending: "done", cost: { turns: 4 } });
      expect(await changesOf(here, fork)).toContain("+one");

      const forked = await storyOf(here, fork);
      expect(forked.forkedFrom).toBe(`${run}@2`);
      // What the calls of its beginning were decided is told by the other run's log.
      expect(forked.turns[0]?.calls[0]).toMatchObject({ verdict: "allow", outcome: "completed" });
      expect(forked.points[1]?.obstacle).toContain("fork at turn 2");
      expect(await storyOf(here, run)).toEqual(story);
      expect(await changesOf(here, run)).toBe(changes);
      expect((await warder(here, ["changes", "apply", fork, "--checkout", "--yes"])).exitCode).toBe(0);
      expect(readFileSync(join(here.workspace, "a.txt"), "utf8")).toBe("one\n");
      expect(existsSync(join(here.workspace, "base.txt"))).toBe(false);
    });

    test("are those of the beginning, too, and none is there that the run had not", async () => {
      const { here, run } = await played();
      expect((await warder(here, ["runs", "rewind", run, "--to", "9"])).stderr).toContain("has no whole turn 9: its last is 4");
      expect((await warder(here, ["runs", "rewind", run, "--to", "-1"])).exitCode).toBe(2);
      expect((await warder(here, ["runs", "rewind", run])).exitCode).toBe(2);
      expect((await warder(here, ["run", "--fork", `${run}@9`, "Look."])).exitCode).toBe(2);
      expect((await warder(here, ["run", "--fork", "nothing", "Look."])).exitCode).toBe(2);
      const end = await warder(here, ["runs", "rewind", run, "--to", "0", "--json"]);
      expect(JSON.parse(end.stdout)).toEqual({ run, from: 4, to: 0, workspace: "as-then" });
      expect((await warder(here, ["changes", "list", run])).stderr).toContain("left no changes");
      const again = await warder(here, ["run", "--json", "--resume", run]);
      expect(again.exitCode, again.stdout + again.stderr).toBe(0);
      expect(await changesOf(here, run)).toContain("+three");
    });

    if (!isWhole && isReady && runtime !== first) return;

    test("before a landing are not gone back to until that is taken back", async () => {
      const { here, run } = await played();
      expect((await warder(here, ["changes", "apply", run, "--checkout", "--yes"])).exitCode).toBe(0);
      const refused = await warder(here, ["runs", "rewind", run, "--to", "2"]);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain("stays landed");
      expect(refused.stderr).toContain(`warder changes undo ${run}`);
      expect((await warder(here, ["changes", "undo", run])).exitCode).toBe(0);
      expect((await warder(here, ["runs", "rewind", run, "--to", "2"])).exitCode).toBe(0);
      expect((await warder(here, ["changes", "apply", run, "--checkout", "--yes"])).exitCode).toBe(0);
      expect(readFileSync(join(here.workspace, "a.txt"), "utf8")).toBe("one\n");
    });

    test("take the questions and grants of later ones with them", async () => {
      const { here, policy } = await played(BOUND);
      const asking = join(here.root, "asking.yaml");
      writeFileSync(asking, `${readFileSync(policy, "utf8").replace("deletes: allow", "deletes: ask")}unattended: { on-ask: park }\n`);
      const end = await warder(here, ["run", "--unattended", "--json", "--policy", asking, "--model", script(here, ASKS), "Make it."]);
      expect(end.exitCode, end.stdout + end.stderr).toBe(4);
      const run = linesOf(end)[0]?.runId ?? "";
      const waiting = JSON.parse((await warder(here, ["approvals", "list", "--json"])).stdout) as { readonly approvals: readonly { readonly id: string }[] };
      const id = waiting.approvals[0]?.id ?? "";
      expect(id).not.toBe("");
      expect((await warder(here, ["runs", "rewind", run, "--to", "1"])).exitCode).toBe(0);
      expect((await warder(here, ["approvals", "list"])).stdout).toContain("No open questions.");
      expect((await warder(here, ["approvals", "grant", id])).exitCode).not.toBe(0);
      expect((await warder(here, ["audit", "tail", "--run", run, "--kind", "approval-void", "--json"])).stdout).toContain(id);
    });

    test("of a bound workspace are those of the conversation alone, and that is said", async () => {
      const { here, run } = await played(BOUND, "workspace: bind");
      const end = await warder(here, ["runs", "rewind", run, "--to", "1"]);
      expect(end.stdout).toContain("stays as it is");
      expect(readFileSync(join(here.workspace, "a.txt"), "utf8")).toBe("one\nthree\n");
    });
  });
}
