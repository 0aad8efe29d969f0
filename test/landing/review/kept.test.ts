import { chmodSync, chownSync, linkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, beforeEach } from "vitest";
import { type TwoLayers, twoLayers } from "../../support/two-layers.ts";
import { runsRootTests } from "../../support/root.ts";

let layers: TwoLayers;
let top: string;
beforeEach(() => {
  layers = twoLayers();
  ({ top } = layers);
});
const put: TwoLayers["put"] = (...of) => {
  layers.put(...of);
};
const flags: TwoLayers["flags"] = (...of) => layers.flags(...of);
const look: TwoLayers["look"] = (...of) => layers.look(...of);

describe("what lies in the workspace and is kept", () => {
  test("a conflict stands beside the change: what somebody changed, made or removed since the run began", () => {
    put("lower", "src/a.ts", "mine");
    put("upper", "src/a.ts", "theirs");
    expect(look("src/a.ts", {}, [], new Map([["src/a.ts", "f 1 2 3 4"]])).flags).toEqual([
      { kind: "conflict", reason: expect.stringMatching(/somebody changed it.*Theirs stays/u) },
    ]);
    expect(look("src/a.ts", {}, [], new Map()).flags).toEqual([{ kind: "conflict", reason: expect.stringContaining("somebody put something there") }]);
    put("upper", "src/b.ts", "x");
    expect(look("src/b.ts", {}, [], new Map([["src/b.ts", "f 1 2 3 4"]])).flags).toEqual([
      { kind: "conflict", reason: expect.stringContaining("somebody removed it") },
    ]);
  });

  test("a file of several names, when its content changes", () => {
    put("lower", "src/a.ts", "one");
    linkSync(join(top, "lower/src/a.ts"), join(top, "lower/src/b.ts"));
    put("upper", "src/a.ts", "two");
    expect(flags("src/a.ts")).toEqual(["hard-link"]);
    expect(flags("src/a.ts", { kind: "deleted" })).toEqual([]);
  });

  test("rights that grow are flagged, and every other mode is a note", () => {
    put("lower", "src/a.ts", "one");
    put("upper", "src/a.ts", "two");
    chmodSync(join(top, "lower/src/a.ts"), 0o600);
    expect(look("src/a.ts")).toMatchObject({ flags: [{ kind: "wider-mode" }], notes: ["mode 600 → 644"] });
    chmodSync(join(top, "lower/src/a.ts"), 0o664);
    expect(look("src/a.ts")).toMatchObject({ flags: [], notes: ["mode 664 → 644"] });
    chmodSync(join(top, "lower/src/a.ts"), 0o644);
    expect(look("src/a.ts").notes).toBeUndefined();
    expect(look("src/new.ts", { kind: "added", mode: 0o600 }).notes).toEqual(["mode 600"]);
  });

  test.runIf(runsRootTests)("a file of somebody else", () => {
    put("lower", "src/a.ts", "one");
    put("upper", "src/a.ts", "two");
    chownSync(join(top, "lower"), 1000, 1000);
    expect(look("src/a.ts")).toMatchObject({ flags: [{ kind: "other-owner" }], notes: ["owner 0, not the workspace's 1000"] });
    expect(flags("src/a.ts", { kind: "deleted" })).toEqual(["other-owner"]);
    chownSync(join(top, "lower/src/a.ts"), 1000, 1000);
    expect(flags("src/a.ts")).toEqual([]);
  });
});
