import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readIndex } from "../../../src/gate/facts/git-index.ts";

describe("an index of version 4", () => {
  /** Each entry repeats the path before, but for its last character. */
  const index = (first: string, entries: number): Buffer => {
    const head = Buffer.from("DIRC\0\0\0\u0004\0\0\0\0", "latin1");
    head.writeUInt32BE(entries, 8);
    const parts = Array.from({ length: entries }, (_unused, number) => {
      const fixed = Buffer.alloc(62);
      fixed.writeUInt32BE(0o100644, 24);
      return Buffer.concat([fixed, Buffer.from(number === 0 ? `\0${first}\0` : "\u0001b\0", "latin1")]);
    });
    const body = Buffer.concat([head, ...parts]);
    return Buffer.concat([body, createHash("sha1").update(body).digest()]);
  };

  test("is read", () => {
    expect(readIndex(index("ab", 2), 20)).toMatchObject({ entries: [{ path: "ab" }, { path: "ab" }] });
  });

  test.each([
    ["a path that no file can have", index("a".repeat(4097), 1)],
    ["few bytes that say gigabytes of paths", index("a".repeat(4096), 33_000)],
  ])("is not read with %s", (_name, bytes) => {
    expect(readIndex(bytes, 20)).toMatch(/longer paths than a workspace can have/u);
  });
});
