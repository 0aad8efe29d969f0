// Owns a session that runs a command without end, for a test that kills this process.
import { dockerRuntime } from "../../src/sandbox/docker.ts";
import { bash, perform, profileOf, type SandboxFixture } from "./sandbox-fixture.ts";

const [, , , text = ""] = process.argv;
const { fixture } = JSON.parse(text) as { fixture: SandboxFixture };
const session = await dockerRuntime().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
await perform(session, bash(session, "echo running; touch made; setsid sleep 1000 & sleep 1000"), { onOutput: (_stream, output) => process.stdout.write(output) });
