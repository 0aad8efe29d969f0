import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { demultiplexer } from "../../../../src/sandbox/docker/reach/attach.ts";

function frame(stream: number, text: string): Buffer {
  const data = Buffer.from(text);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(data.byteLength, 4);
  return Buffer.concat([header, data]);
}

describe("the engine's multiplexed stream", () => {
  test("is taken apart however it is cut into portions", () => {
    const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.string()), { maxLength: 8 });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 9 })), (sent, cuts) => {
        const got = { 1: "", 2: "" };
        const bytes: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
        const take = demultiplexer((stream, data) => bytes[stream as 1 | 2].push(data));
        let rest = Buffer.concat(sent.map(([stream, text]) => frame(stream, text)));
        for (const cut of cuts) {
          expect(take(rest.subarray(0, cut))).toBe(true);
          rest = rest.subarray(cut);
        }
        expect(take(rest)).toBe(true);
        for (const stream of [1, 2] as const) {
          got[stream] = Buffer.concat(bytes[stream]).toString();
          expect(got[stream]).toBe(
            sent
              .filter(([to]) => to === stream)
              .map(([, text]) => Buffer.from(text).toString())
              .join(""),
          );
        }
      }),
    );
  });

  test("ends at a header that is none", () => {
    const seen: string[] = [];
    const take = demultiplexer((_stream, data) => seen.push(data.toString()));
    expect(take(frame(1, "good"))).toBe(true);
    expect(take(Buffer.from("HTTP/1.1 200 OK"))).toBe(false);
    expect(take(frame(1, "late"))).toBe(false);
    expect(seen).toEqual(["good"]);
  });
});
