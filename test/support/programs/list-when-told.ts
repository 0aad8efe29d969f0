// Opens a sandbox on `workspace` and `reference` of the current folder, says so, and lists `reference/sub` in it when there is a file `go`.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { profileOf, run, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { until } from "../until.ts";

const [, , kind = ""] = process.argv;
const folder = process.cwd();
const at = (name: string): string => join(folder, name);
const runDirectory = at("state/runs/run-later");
for (const directory of [at("workspace"), at("reference/sub"), runDirectory]) mkdirSync(directory, { recursive: true });
writeFileSync(at("reference/sub/earlier"), "");
const fixture: SandboxFixture = { folder, workspace: at("workspace"), state: at("state"), runDirectory, runId: "run-later", remove: () => undefined };
const session = await bubblewrapRuntime().open(
  profileOf(fixture, {
    settings: { runtime: "bubblewrap", workspace: kind === "bind" ? "bind" : "transactional" },
    roots: [
      { path: fixture.workspace, access: "read-write" },
      { path: at("reference"), access: "read" },
    ],
  }),
  { runId: fixture.runId, runDirectory },
);
process.stdout.write("ready\n");
await until("it is told", () => existsSync(at("go")));
process.stdout.write((await run(session, "ls ../reference/sub")).out);
await session.close();
