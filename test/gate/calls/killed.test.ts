import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";
import { rounds } from "../../support/extent.ts";
import { killAfterOutput, startProgram } from "../../support/program.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { policyText } from "../gate-scene.ts";

test("whenever a process is killed, nothing ran that was not recorded before, and the limit of actions has counted it", async () => {
  const root = realpathSync(temporaryDirectory());
  for (const name of ["workspace", "home"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "policy.yaml"), `version: 1\nname: test\n${policyText({ autonomy: "full", limits: "{ actions: { max: 20, per: 1h } }" })}`);
  for (let round = 0; round < 5; round += rounds(2, 1)) {
    const output = await killAfterOutput(startProgram("gate-loop", root), 10 + round * 25);
    const kinds = output.split("\n").slice(0, -1);
    const store = openStore(join(root, "state"));
    const log = { store, clock: systemClock };
    const report = verifyAudit(log);
    const permits = tailAudit(log, { limit: 10_000, kind: "permit-spent" }).length;
    store.close();
    const ran = existsSync(join(root, "workspace", "ran")) ? readFileSync(join(root, "workspace", "ran"), "utf8").split("\n").length - 1 : 0;
    expect(report.problems).toEqual([]);
    // A permit whose action the kill forestalled leaves a record without a line; a line without a record would be a hole.
    expect(ran).toBeLessThanOrEqual(permits);
    expect(permits - ran).toBeLessThanOrEqual(round + 1);
    expect(permits).toBeLessThanOrEqual(20);
    expect(report.interrupted.length).toBeLessThanOrEqual(round + 1);
    expect(ran).toBeGreaterThan(0);
    expect(kinds.every((kind) => kind === "executed" || kind === "budget")).toBe(true);
  }
});
