// Sends calls through a gate for ever: each appends a line to `ran` in the workspace. ROOT holds workspace, home, state and policy.yaml.
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { newId } from "../../../src/base/ids.ts";
import { loadPolicy } from "../../../src/config/policy/load.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import { openStore } from "../../../src/store/store.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { hostSession } from "../host-session.ts";

const [root = ""] = process.argv.slice(2);
const [workspace, home] = [join(root, "workspace"), join(root, "home")];
const store = openStore(join(root, "state"));
const { policy } = loadPolicy(join(root, "policy.yaml"), { workspace, home, stateDirectory: store.paths.directory });
const gate = createGate({
  runId: newId("run"),
  policy,
  tools: createRegistry(),
  setting: { workspace, home },
  session: hostSession(policy, workspace, home),
  store,
  audit: { store, clock: systemClock },
  clock: systemClock,
  channels: [],
  asking: "deny",
  approvalTimeoutMs: 1_000,
  ownPaths: [store.paths.directory],
});
for (;;) {
  const call = { id: newId("call"), name: "shell", input: { command: "echo line >> ran" } };
  const end = await gate.runToolCall(call, { signal: new AbortController().signal, emit: () => null });
  process.stdout.write(`${end.kind}\n`);
}
