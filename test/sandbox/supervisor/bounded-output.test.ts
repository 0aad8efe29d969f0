import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundOutput, splitBudget } from "../../../src/sandbox/supervisor/bounded-output.ts";

const capture = (data: Uint8Array, headBytes: number, tailBytes: number) => {
  const head = data.subarray(0, headBytes);
  const rest = data.subarray(head.byteLength);
  return { head: [head], tail: [rest.subarray(Math.max(0, rest.byteLength - tailBytes))], totalBytes: data.byteLength };
};

describe("a bounded output", () => {
  it("is the whole text when nothing was dropped, also when the head ends within a character", () => {
    const data = Buffer.from("aé€😀z");
    for (let head = 0; head <= data.byteLength; head += 1) {
      expect(boundOutput(capture(data, head, data.byteLength))).toEqual({ text: "aé€😀z", totalBytes: data.byteLength, cutBytes: 0 });
    }
  });

  it("never makes a replacement character of a character that it cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(20), fc.nat(20), (text, head, tail) => {
        fc.pre(!text.includes("\uFFFD"));
        expect(boundOutput(capture(Buffer.from(text), head, tail)).text).not.toContain("\uFFFD");
      }),
    );
  });

  it("counts every byte: kept, or cut and said so", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii", maxLength: 200 }), fc.nat(30), fc.nat(30), (text, head, tail) => {
        const output = boundOutput(capture(Buffer.from(text), head, tail));
        const notice = output.cutBytes === 0 ? 0 : `\n[${output.cutBytes} bytes left out]\n`.length;
        expect(output.text.length - notice + output.cutBytes).toBe(text.length);
      }),
    );
  });

  it("keeps a byte-order mark and shows invalid bytes as U+FFFD", () => {
    expect(boundOutput(capture(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]), 10, 10)).text).toBe("\uFEFFa\uFFFD");
  });

  it("splits a budget without losing a byte, the tail within its bound", () => {
    expect(splitBudget(101, 1000)).toEqual({ headBytes: 51, tailBytes: 50 });
    expect(splitBudget(10_000, 1000)).toEqual({ headBytes: 9000, tailBytes: 1000 });
    expect(splitBudget(0, 1000)).toEqual({ headBytes: 0, tailBytes: 0 });
  });
});
