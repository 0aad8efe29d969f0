import { spawn, spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { confirmServer } from "../../src/app/mcp/trust.ts";
import { confirmDocument } from "../../src/app/openapi/documents.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { systemClock } from "../../src/base/clock.ts";
import { readPins } from "../../src/config/state/mcp-pins.ts";
import { runsRootTests } from "../support/root.ts";
import { seenDocument, seenServer } from "../support/seen-pins.ts";
import { temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";
import { exitCodeOf } from "../support/until.ts";

const PROGRAM = join(import.meta.dirname, "../support/programs/confirm-and-die.ts");
const TOOLS = [seenServer(0).catalogue.tools, seenServer(1).catalogue.tools];

/** Which shape each has that counts: of the server, and of the document. Throws where one is neither. */
function shapes(state: string): readonly number[] {
  return readPins(state).map(({ tools }) => {
    const shape = TOOLS.findIndex((each) => JSON.stringify(each) === JSON.stringify(tools));
    if (shape < 0) throw new Error(`There are ${String(tools.length)} tools, of no shape.`);
    return shape;
  });
}

test.each([
  { what: "server", at: "half", counts: [0, 0] },
  { what: "document", at: "half", counts: [0, 0] },
  { what: "document", at: "before", counts: [0, 0] },
  { what: "server", at: "after", counts: [1, 0] },
])("a $what whose confirmation is killed ($at) was confirmed whole or not at all, and the log has it", async ({ what, at, counts }) => {
  const state = join(temporaryDirectory(), "state");
  const child = spawn(process.execPath, [PROGRAM, state, what, at], { stdio: ["ignore", "ignore", "inherit"] });
  expect(await exitCodeOf(child)).toBeNull();
  expect(shapes(state)).toEqual(counts);
  const log = { store: temporaryStore(state), clock: systemClock };
  expect(verifyAudit(log)).toMatchObject({ isIntact: true });
  const recorded = tailAudit(log, { kind: what === "server" ? "mcp-server-trusted" : "openapi-trusted", limit: 9 });
  expect(recorded).toHaveLength(2);
});

describe.skipIf(!runsRootTests)("on a disk that is full [needs root, to mount one]", () => {
  test("each is confirmed whole or not at all, and with space again both are", () => {
    const state = temporaryDirectory();
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", state]).status).toBe(0);
    onTestFinished(() => void spawnSync("umount", ["--lazy", state]));
    const store = temporaryStore(state);
    const records = { store, audit: { store, clock: systemClock }, approvals: { store, clock: systemClock } };
    const ballast = join(state, "ballast");
    /** Leaves that much room. */
    const fill = (bytes: number): void => {
      spawnSync("sh", ["-c", 'cat /dev/zero > "$1" 2>/dev/null; truncate -s "-$2" "$1"', "sh", ballast, String(bytes)]);
    };
    const confirms = (work: () => void): boolean => {
      try {
        work();
        return true;
      } catch {
        return false;
      }
    };
    const confirmBoth = (shape: number): readonly boolean[] => [
      confirms(() => confirmServer(records, seenServer(shape), "ann")),
      confirms(() => confirmDocument(records, seenDocument(shape), "ann")),
    ];
    // Nothing can be recorded; then the record fits, and the file does not.
    const ends: (readonly boolean[])[] = [];
    for (const bytes of [0, 40_000, 110_000]) {
      expect(confirmBoth(0)).toEqual([true, true]);
      fill(bytes);
      const confirmed = confirmBoth(1);
      ends.push(confirmed);
      expect(shapes(state), String(bytes)).toEqual(confirmed.map(Number));
      rmSync(ballast);
    }
    expect(ends[0]).toEqual([false, false]);
    expect(confirmBoth(1)).toEqual([true, true]);
    expect(shapes(state)).toEqual([1, 1]);
    expect(readdirSync(state).filter((name) => name.endsWith(".new"))).toEqual([]);
    expect(verifyAudit(records.audit)).toMatchObject({ isIntact: true });
  });
});
