import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { loadPolicy } from "../../../src/config/policy/load.ts";
import type { CheckParts } from "../../../src/gate/check.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

/** A question to the policy `operator`, about a workspace that the test has filled. */
export function operatorCheck(fill: (workspace: string) => void): CheckParts {
  const root = realpathSync(temporaryDirectory());
  const home = join(root, "home");
  const workspace = join(home, "workspace");
  const state = join(root, "state");
  for (const path of [home, workspace, state]) mkdirSync(path);
  fill(workspace);
  const { policy } = loadPolicy("operator", { workspace, home, stateDirectory: state });
  return { policy, tools: createRegistry(), setting: { workspace, home }, containment: "profile", ownPaths: [state], clock: systemClock };
}
