import { statSync } from "node:fs";
import { test } from "vitest";
import { ENGINE } from "../../contract/docker-under-test.ts";
import { IS_GVISOR } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { expectAsOrdinaryUser } from "../../support/ordinary-user.ts";
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
    const socket = (ENGINE.dockerHost ?? "").replace(/^unix:\/\//u, "") || "/var/run/docker.sock";
    // Whoever reaches the engine's socket is as good as root to it, and this process still is not.
    expectAsOrdinaryUser("test/sandbox/docker/runtime.test.ts", { groups: [statSync(socket).gid], parts: PARTS, atLeast: 31 });
  });
});
