import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { writePaced } from "../../../src/cli/process/paced-write.ts";

/** A stream that holds eight bytes. */
const narrow = (): NodeJS.WriteStream => new PassThrough({ highWaterMark: 8 }) as unknown as NodeJS.WriteStream;

describe("paced writing", () => {
  test("waits for nobody while there is room", () => {
    expect(writePaced(narrow(), "a few")).toBeUndefined();
  });

  test("waits until what was written is read, once for all who write meanwhile", async () => {
    const stream = narrow();
    const first = writePaced(stream, "more than eight bytes");
    expect(first).toBeInstanceOf(Promise);
    expect(writePaced(stream, "and more")).toBe(first);
    (stream as unknown as PassThrough).resume();
    expect(await first).toBeUndefined();
    expect(["drain", "close", "error"].map((name) => stream.listenerCount(name))).toEqual([0, 0, 0]);
  });

  test("waits no longer for a reader that went away", async () => {
    const stream = narrow();
    const waiting = writePaced(stream, "more than eight bytes");
    (stream as unknown as PassThrough).destroy();
    expect(await waiting).toBeUndefined();
    expect(writePaced(stream, "nobody reads this")).toBeUndefined();
  });
});
