// Owns a session that runs a command without end, for a test that kills this process.
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { bash, perform, profileOf, type SandboxFixture } from "./sandbox-fixture.ts";

const [, , name = "", text = ""] = process.argv;
const { fixture, job } = JSON.parse(text) as { fixture: SandboxFixture; /** Runs in the background, and stands still while the command runs. */ job?: string };
const runtime = name === "bubblewrap" ? bubblewrapRuntime() : dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] });
const session = await runtime.open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
if (job !== undefined) {
  const started = await perform(session, { kind: "start-job", argv: ["/bin/bash", "-c", job], cwd: fixture.workspace, env: {}, timeoutMs: 200_000 });
  if (started.kind === "failed") process.stdout.write(`${started.code}: ${started.reason}\n`);
}
await perform(session, bash(session, "touch made; echo running; setsid sleep 1000 & sleep 1000"), {
  onOutput: (_stream, output) => process.stdout.write(output),
});
