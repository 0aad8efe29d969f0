import { expect, test } from "vitest";
import { IS_GVISOR } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { engineGroups, passedAsOrdinaryUser, WITHIN } from "../../support/ordinary-user.ts";
import { runsRootTests } from "../../support/root.ts";

describeWithDocker("an ordinary user of the engine", () => {
  test.skipIf(!runsRootTests || IS_GVISOR)("has sandboxes and transactional workspaces that keep what root's keep [needs root, to become one]", WITHIN, () => {
    // Left out are what ends processes of root's engine, and gVisor.
    expect(passedAsOrdinaryUser(["test/sandbox/docker/runtime.test.ts"], { groups: engineGroups() })).toBeGreaterThan(100);
  });
});
