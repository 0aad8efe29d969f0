import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunStory } from "../../src/app/story/story.ts";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { crashProgram, hasCompiler } from "../support/crash/crash-at.ts";
import { rounds } from "../support/extent.ts";
import { place, script } from "../support/test-place.ts";
import { type Place, WARDER, warder } from "../support/warder-cli.ts";

const PLAY = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo one > a.txt; mkdir d; echo in > d/in.txt" } }]
  - calls: [{ tool: shell, input: { command: "echo two >> a.txt; echo more > more.txt" } }]
  - say: "All is made."
`;

/** The same each time: most steps lay out what was, and the last ones make it count. */
function sampleOf(all: number): readonly number[] {
  const spread = rounds(2, 30);
  const first = Array.from({ length: spread }, (_, at) => 1 + Math.floor(((at + 0.5) * all) / spread));
  const last = rounds(4, 30);
  return [...first, ...Array.from({ length: last }, (_, at) => all - rounds(at * at * 3, at))];
}

async function lookAt(here: Place, run: string): Promise<{ readonly diff: string; readonly turns: readonly unknown[]; readonly points: readonly unknown[] }> {
  const diff = (await warder(here, ["changes", "diff", run])).stdout;
  const story = JSON.parse((await warder(here, ["runs", "show", run, "--json"])).stdout) as RunStory;
  return { diff, turns: story.turns.map(({ turn, standing }) => [turn, standing]), points: story.points };
}

for (const [runtime, ready] of [["docker", dockerRuntime()] as const, ["bubblewrap", bubblewrapRuntime()] as const]) {
  const { isReady, detail } = await ready.check();
  const group = (isReady && hasCompiler) || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

  group(isReady ? `a run that goes back, on ${runtime}` : `a run that goes back, on ${runtime} [skipped: ${detail}]`, () => {
    test(
      "is as before or as after, whatever step it is killed before, and the next command ends it",
      async () => {
        const here = place();
        const policy = join(here.root, "sealed.yaml");
        writeFileSync(
          policy,
          `version: 1\nname: sealed\nautonomy: full\nworkspace: { roots: [{ path: ".", access: read-write }] }\nsandbox: { runtime: ${runtime}, workspace: transactional, network: { allow: [] } }\n`,
        );
        const end = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "--model", script(here, PLAY), "Make it."]);
        expect(end.exitCode, end.stdout + end.stderr).toBe(0);
        const run = /"runId":"(run-\w+)"/u.exec(end.stdout)?.[1] ?? "";
        const before = await lookAt(here, run);
        const kept = join(here.root, "kept");
        execFileSync("cp", ["-a", "--sparse=always", here.state, kept]);
        const putBack = (): void => void execFileSync("sh", ["-c", 'rm -rf "$1" && cp -a --sparse=always "$2" "$1"', "sh", here.state, kept]);

        const crash = crashProgram();
        const environment = ["env", `HOME=${here.home}`, `WARDER_HOME=${here.state}`];
        const rewind = (step: number): ReturnType<ReturnType<typeof crashProgram>> =>
          crash(step, here.state, [...environment, WARDER, "runs", "rewind", run, "--to", "1"]);
        const whole = await rewind(0);
        expect([whole.steps > 20, whole.isKilled]).toEqual([true, false]);
        const after = await lookAt(here, run);
        expect(after.turns).not.toEqual(before.turns);
        expect(after.diff).not.toBe(before.diff);

        const seen = new Set<string>();
        for (const step of sampleOf(whole.steps)) {
          putBack();
          expect((await rewind(step)).isKilled, `step ${String(step)}`).toBe(true);
          const now = await lookAt(here, run);
          const which = now.turns.length === before.turns.length && JSON.stringify(now.turns) === JSON.stringify(before.turns) ? "before" : "after";
          expect(now, `step ${String(step)} of ${String(whole.steps)}`).toEqual(which === "before" ? before : after);
          seen.add(which);
        }
        // What was played has both.
        expect([...seen].toSorted()).toEqual(["after", "before"]);
        expect(execFileSync("ls", [join(here.state, "runs", run)], { encoding: "utf8" })).not.toMatch(/rewound|replaced/u);
        expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
      },
      rounds(900_000, 3_600_000),
    );
  });
}
