import { describe, expect, test } from "vitest";
import { engineGroups, passedAsOrdinaryUser } from "../support/ordinary-user.ts";
import { runsRootTests } from "../support/root.ts";
import { describeWithDocker } from "../support/docker.ts";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";

const FILES = ["test/end-to-end/worktrees.test.ts", "test/sandbox/workspace/bound-repository.test.ts"];
/** On each way of mounting, what differs there: what lands, what does not, and what is hidden; and what a bound workspace has at once. */
const PARTS = [
  "lands with the files",
  "stays as it is whatever a run writes",
  "thrown away of both",
  "hidden file is not taken away",
  "linked worktree is there at once",
  "cannot be written",
  "replaces it meanwhile",
];
const named = (runtime: string): readonly string[] => PARTS.map((part) => `on ${runtime}.*${part}`);

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

describeWithDocker("a repository outside the workspace, for a user who is not root", () => {
  test.skipIf(!runsRootTests)("is mounted by the engine, and bound where the workspace is [needs root, to become one]", () => {
    expect(passedAsOrdinaryUser(FILES, { groups: engineGroups(), parts: named("docker") })).toBe(PARTS.length);
  });
});

group(isReady ? "a repository outside the workspace, without root and engine" : `a repository without root and engine [skipped: ${detail}]`, () => {
  test.skipIf(!runsRootTests)("is mounted in the run's user namespace, and bound where the workspace is [needs root, to become another user]", () => {
    expect(passedAsOrdinaryUser(FILES, { groups: [], parts: named("bubblewrap") })).toBe(PARTS.length);
  });
});
