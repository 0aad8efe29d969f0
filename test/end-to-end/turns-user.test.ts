import { describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { describeWithDocker } from "../support/docker.ts";
import { engineGroups, passedAsOrdinaryUser } from "../support/ordinary-user.ts";
import { runsRootTests } from "../support/root.ts";

const FILE = "test/end-to-end/turns.test.ts";
/** On each way of mounting, what differs there. */
const PARTS = ["can be gone back to", "can be forked from", "before a landing"];
const named = (runtime: string): readonly string[] => PARTS.map((part) => `on ${runtime}.*${part}`);

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

describeWithDocker("the turns of a run, for a user who is not root", () => {
  test.skipIf(!runsRootTests)("are kept where the engine mounts the workspace [needs root, to become one]", () => {
    expect(passedAsOrdinaryUser([FILE], { groups: engineGroups(), parts: named("docker") })).toBe(PARTS.length);
  });
});

group(isReady ? "the turns of a run, without root and engine" : `the turns of a run, without root and engine [skipped: ${detail}]`, () => {
  test.skipIf(!runsRootTests)("are kept where a user namespace has the workspace [needs root, to become another user]", () => {
    expect(passedAsOrdinaryUser([FILE], { groups: [], parts: named("bubblewrap") })).toBe(PARTS.length);
  });
});
