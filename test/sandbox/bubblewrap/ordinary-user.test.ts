import { describe, test } from "vitest";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { expectAsOrdinaryUser } from "../../support/ordinary-user.ts";
import { runsRootTests } from "../../support/root.ts";

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

group(isReady ? "an ordinary user without an engine" : `an ordinary user without an engine [skipped: ${detail}]`, () => {
  test.skipIf(!runsRootTests)("has sandboxes and transactional workspaces that keep what root's keep [needs root, to become one]", () => {
    expectAsOrdinaryUser("test/sandbox/bubblewrap/runtime.test.ts", { groups: [], atLeast: 85 });
  });
});
