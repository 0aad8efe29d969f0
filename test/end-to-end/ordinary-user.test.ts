import { describe, expect, test } from "vitest";
import { engineGroups, passedAsOrdinaryUser, WITHIN } from "../support/ordinary-user.ts";
import { runsRootTests } from "../support/root.ts";
import { describeWithDocker } from "../support/docker.ts";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";

const FILES = [
  "test/end-to-end/worktrees.test.ts",
  "test/sandbox/workspace/bound-repository.test.ts",
  "test/end-to-end/turns.test.ts",
  "test/end-to-end/every-tool.test.ts",
];
/** On each way of mounting, what differs there: of a repository outside the workspace, also of a bound one, of a run's turns, and every tool. One process for all. */
const PARTS = [
  "lands with the files",
  "stays as it is whatever a run writes",
  "thrown away of both",
  "hidden file is not taken away",
  "linked worktree is there at once",
  "cannot be written",
  "replaces it meanwhile",
  "can be gone back to",
  "can be forked from",
  "before a landing",
  "does what it says",
  "gives a script what",
];
const named = (runtime: string): readonly string[] => PARTS.map((part) => `on ${runtime}.*${part}`);

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

describeWithDocker("repositories outside the workspace, turns and runs beside each other, for a user who is not root", () => {
  test.skipIf(!runsRootTests)("are there where workspaces are mounted by the engine, or bound [needs root, to become one]", WITHIN, () => {
    const files = [...FILES, "test/end-to-end/two-runs.test.ts"];
    expect(passedAsOrdinaryUser(files, { groups: engineGroups(), parts: [...named("docker"), "two runs at once"] })).toBe(PARTS.length + 1);
  });
});

group(
  isReady ? "repositories outside and turns, without root and engine" : `repositories outside and turns, without root and engine [skipped: ${detail}]`,
  () => {
    test.skipIf(!runsRootTests)(
      "are there where workspaces are mounted in the run's user namespace, or bound [needs root, to become another user]",
      WITHIN,
      () => {
        expect(passedAsOrdinaryUser(FILES, { groups: [], parts: named("bubblewrap") })).toBe(PARTS.length);
      },
    );
  },
);
