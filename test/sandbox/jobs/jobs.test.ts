import { expect, test } from "vitest";
import { engineKind, holdsToLimits } from "../../../src/sandbox/docker/engine-kind.ts";
import { openEngine } from "../../../src/sandbox/docker/engine.ts";
import { docker, ENGINE } from "../../contract/docker-under-test.ts";
import { jobsContract } from "../../contract/runtime-jobs.ts";
import { makeFixture, perform, profileOf } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";

/** An engine of an ordinary user, without control groups; one that does not answer is not asked here. */
const isUnlimited = await engineKind(openEngine(ENGINE)).then(
  (kind) => !holdsToLimits(kind),
  () => false,
);

describeWithDocker("in Docker's containers", () => {
  if (!isUnlimited) jobsContract(docker);
  else
    test("there is no job where nothing holds it to its limits, and it is said why", async () => {
      const fixture = makeFixture();
      const { workspace, runDirectory, runId } = fixture;
      const session = await docker.make().open(profileOf(fixture), { runId, runDirectory });
      try {
        const outcome = await perform(session, { kind: "start-job", argv: ["true"], cwd: workspace, env: {}, timeoutMs: 10_000 });
        expect(outcome).toMatchObject({ kind: "failed", code: "unsupported", reason: expect.stringContaining("control groups") });
      } finally {
        await session.close();
        expect(docker.leftovers(runId)).toEqual([]);
        fixture.remove();
      }
    });
});
