import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap.ts";
import { runtimeContract, type RuntimeUnderTest } from "../contract/runtime.ts";
import { changesContract } from "../contract/runtime-changes.ts";
import { containmentContract } from "../contract/runtime-containment.ts";
import { makeFixture, perform, profileOf, run } from "../contract/sandbox-fixture.ts";

/** Command lines of sandboxes that belong to a fixture: its folder's name ends like the run's id. */
function processesOf(runId: string): readonly string[] {
  const mark = runId.slice(-6);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
      } catch (error) {
        if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
        throw error;
      }
    })
    .filter((line) => line.includes(mark) && /^bwrap |^\/\.warder\/supervisor /.test(line));
}

const bubblewrap: RuntimeUnderTest = { make: bubblewrapRuntime, leftovers: processesOf };

const { isReady, detail } = await bubblewrapRuntime().check();
const group = (isReady && process.getuid?.() === 0) || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

group(isReady ? "the bubblewrap runtime" : `the bubblewrap runtime [skipped: ${detail}]`, () => {
  test("is as it should be seen from inside, with what /proc tells of the machine masked", async () => {
    const fixture = makeFixture({ "a.txt": "a" });
    try {
      const properties = await bubblewrapRuntime().inspect(profileOf(fixture, { settings: { runtime: "bubblewrap" } }), {
        runId: fixture.runId,
        runDirectory: fixture.runDirectory,
      });
      expect(properties.filter(({ isMet }) => isMet === false)).toEqual([]);
      expect(properties.find(({ what }) => what === "masked and read-only paths")).toMatchObject({ isMet: true, found: "all" });
    } finally {
      fixture.remove();
    }
  });

  runtimeContract(bubblewrap);
  containmentContract(bubblewrap);
  changesContract(bubblewrap);

  test("keeps no jobs, and says so", async () => {
    const fixture = makeFixture({ "a.txt": "a" });
    const session = await bubblewrapRuntime().open(profileOf(fixture, { settings: { runtime: "bubblewrap" } }), {
      runId: fixture.runId,
      runDirectory: fixture.runDirectory,
    });
    try {
      const job = { kind: "start-job", argv: ["/bin/true"], cwd: fixture.workspace, env: {}, timeoutMs: 1000 } as const;
      expect(await perform(session, job)).toMatchObject({ kind: "failed", code: "unsupported", reason: expect.stringContaining("control groups") });
      expect(await run(session, "cat a.txt")).toMatchObject({ out: "a" });
    } finally {
      await session.close();
      fixture.remove();
    }
  });
});
