import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { KEPT_LIMITS, keptTurns, withinLimits, writeKept } from "../../../src/sandbox/turns/kept.ts";
import { turnsBeyond } from "../../../src/sandbox/turns/reap.ts";
import type { KeptTurn } from "../../../src/sandbox/turns/state.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const MIB = 1024 ** 2;
const turnOf = (turn: number, { copied = 1, bytes = 1, entries = 1, atMs = 0 } = {}): KeptTurn => ({
  turn,
  after: turn,
  atMs,
  state: { kind: "snapshot", name: String(turn), entries, copied, bytes },
});
const kindsOf = (turns: readonly KeptTurn[]): readonly string[] => turns.map(({ state }) => state.kind);

describe("what is kept of a run's turns", () => {
  test("is at most so many snapshots: the oldest go first, and it is said of their turns", () => {
    const turns = Array.from({ length: KEPT_LIMITS.snapshots + 2 }, (_, at) => turnOf(at + 1));
    const kept = withinLimits(turns);
    expect(kindsOf(kept).slice(0, 3)).toEqual(["none", "none", "snapshot"]);
    expect(kept[0]?.state).toEqual({ kind: "none", reason: "it was dropped to make room for later turns" });
    // Turns that share one have it once.
    expect(kindsOf(withinLimits(turns.map((each) => ({ ...each, state: turnOf(1).state }))))).not.toContain("none");
  });

  test("is at most so many bytes: the oldest snapshot counts whole, each further one by what it alone has", () => {
    const [first, second] = [turnOf(1, { copied: 600 * MIB, bytes: 600 * MIB }), turnOf(2, { copied: 300 * MIB, bytes: 900 * MIB })];
    expect(kindsOf(withinLimits([first, second]))).toEqual(["snapshot", "snapshot"]);
    expect(kindsOf(withinLimits([first, second, turnOf(3, { copied: 200 * MIB, bytes: 400 * MIB })]))).toEqual(["none", "none", "snapshot"]);
  });

  test("is at most so many entries", () => {
    expect(kindsOf(withinLimits([1, 2, 3, 4].map((turn) => turnOf(turn, { entries: 90_000 }))))).toEqual(["none", "snapshot", "snapshot", "snapshot"]);
  });

  test("is removed from the disk with its place in the list", () => {
    const run = temporaryDirectory();
    for (const name of ["1", "2"]) mkdirSync(join(run, "turns", name), { recursive: true });
    writeKept(run, [turnOf(1), turnOf(2)]);
    writeKept(run, [turnOf(2)]);
    expect(keptTurns(run)).toEqual([turnOf(2)]);
    expect(() => mkdirSync(join(run, "turns", "1"))).not.toThrow();
    expect(() => mkdirSync(join(run, "turns", "2"))).toThrow("EEXIST");
  });

  test("goes of all runs together beyond a limit, and when its conversation does: the oldest first", () => {
    const runs = [10, 30, 20].map((atMs) => {
      const run = temporaryDirectory();
      mkdirSync(join(run, "turns"));
      writeKept(run, [turnOf(1, { atMs, bytes: 100 })]);
      return run;
    });
    const damaged = temporaryDirectory();
    mkdirSync(join(damaged, "turns"));
    writeFileSync(join(damaged, "turns", "turns.json"), "{");
    const all = [...runs, damaged, temporaryDirectory()];
    expect(turnsBeyond(all, 40, 1000)).toEqual([]);
    expect(turnsBeyond(all, 40, 200)).toEqual([runs[0]]);
    expect(turnsBeyond(all, 31 * 24 * 60 * 60 * 1000, 1000).length).toBe(3);
  });
});
