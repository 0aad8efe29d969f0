import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readStateRecord, writeStateRecord } from "../../../src/config/state/record.ts";
import { runsRootTests } from "../../support/root.ts";
import { leaveRoom, smallDisk } from "../../support/small-disk.ts";

const SHAPE = z.object({ text: z.string() });
const WORDS = { of: "texts", again: "write it again" };

describe.skipIf(!runsRootTests)("on a disk that is full [needs root, to mount one]", () => {
  test("a record is what it was, nothing else is left, and it is said what to do", () => {
    const disk = smallDisk();
    const path = join(disk, "texts.json");
    writeStateRecord(path, { text: "before" });
    leaveRoom(disk, 8192);
    expect(() => writeStateRecord(path, { text: "x".repeat(100_000) })).toThrow(
      /texts\.json cannot be written: the disk is full .*Free some space and try again\.$/u,
    );
    expect(readdirSync(disk)).toEqual(["texts.json"]);
    expect(readStateRecord(path, SHAPE, WORDS)).toEqual({ text: "before" });
    writeStateRecord(path, { text: "after" });
    expect(readStateRecord(path, SHAPE, WORDS)).toEqual({ text: "after" });
  });
});
