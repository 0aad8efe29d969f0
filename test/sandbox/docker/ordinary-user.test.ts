import { expect, test } from "vitest";
import { IS_GVISOR } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { engineGroups, passedAsOrdinaryUser } from "../../support/ordinary-user.ts";
import { runsRootTests } from "../../support/root.ts";

/** What differs for who may not mount: the rest of the suite is the same as root's. */
const PARTS = [
  "in a transactional workspace of user",
  "keeps the changes of a workspace of user",
  "its owner is killed in the middle",
  "keeps two sessions apart",
];

describeWithDocker("an ordinary user of the engine", () => {
  test.skipIf(!runsRootTests || IS_GVISOR)("has transactional workspaces that keep what root's keep [needs root, to become one]", () => {
    // Not one of these was left out.
    expect(passedAsOrdinaryUser("test/sandbox/docker/runtime.test.ts", { groups: engineGroups(), parts: PARTS })).toBeGreaterThan(30);
  });
});
