import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callAnswer } from "../../../src/sandbox/supervisor/call.ts";
import { FieldError, readFields } from "../../../src/sandbox/supervisor/fields.ts";
import { createFrameParser, encodeFrame, type Frame } from "../../../src/sandbox/supervisor/frames.ts";
import { REPLY, REQUEST } from "../../../src/sandbox/supervisor/protocol.ts";

const frame = fc.record({ type: fc.integer({ min: 0, max: 255 }), id: fc.integer({ min: 0, max: 0xffff_ffff }), payload: fc.uint8Array({ maxLength: 200 }) });

function pieces(data: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (data.byteLength + 1)))].toSorted((a, b) => a - b);
  return [...places, data.byteLength].map((end, index) => data.slice(index === 0 ? 0 : (places[index - 1] ?? 0), end));
}

const plain = (frames: readonly Frame[]): unknown[] => frames.map(({ type, id, payload }) => ({ type, id, payload: [...payload] }));

describe("the frame parser", () => {
  it("gives back the frames that were encoded, however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(4000), { maxLength: 12 }), (frames, cuts) => {
        const parser = createFrameParser();
        const seen = pieces(Buffer.concat(frames.map((item) => encodeFrame(item))), cuts).flatMap((piece) => parser.push(piece).frames);
        expect(plain(seen)).toEqual(plain(frames));
        expect(parser.pendingBytes()).toBe(0);
      }),
    );
  });

  it("never throws on any bytes, and holds no more than one frame of them", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 }), (portions) => {
        const parser = createFrameParser(256);
        for (const portion of portions) parser.push(portion);
        expect(parser.pendingBytes()).toBeLessThan(256 + 4);
      }),
    );
  });

  it("refuses a frame that claims to be longer than allowed before its bytes arrive", () => {
    const parser = createFrameParser(100);
    expect(parser.push(Uint8Array.of(0, 0, 0, 101)).error).toContain("101 bytes");
    expect(parser.push(encodeFrame({ type: 1, id: 1, payload: new Uint8Array(0) })).frames).toEqual([]);
  });

  it("refuses a frame that is too short to have a type and an id", () => {
    expect(createFrameParser().push(Uint8Array.of(0, 0, 0, 4, 1, 1, 1, 1)).error).toContain("4 bytes");
  });

  it("keeps a payload that its stream's buffer overwrites later", () => {
    const data = Buffer.from(encodeFrame({ type: 1, id: 1, payload: Uint8Array.of(7) }));
    const [first] = createFrameParser().push(data).frames;
    data.fill(0);
    expect(first?.payload).toEqual(Uint8Array.of(7));
  });
});

describe("the field reader", () => {
  it("reads nothing past the end, whatever the lengths claim", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (data) => {
        const fields = readFields(data);
        let taken = 0;
        const takeAll = (): void => {
          for (;;) taken += fields.bytes().byteLength + 4;
        };
        expect(takeAll).toThrow(FieldError);
        expect(taken).toBeLessThanOrEqual(data.byteLength);
      }),
    );
  });

  it("refuses a 64-bit number that JavaScript cannot hold", () => {
    expect(() => readFields(new Uint8Array(8).fill(255)).u64()).toThrow(FieldError);
  });
});

describe("the answer to a call", () => {
  it.each([1, 2, 3, 4])("takes no frame of stream %i that holds nothing, which no bound would count", (stream) => {
    const answer = callAnswer({ type: REQUEST.exec, payload: new Uint8Array(0), timeoutMs: 1000, headBytes: 10, tailBytes: 10 });
    expect(() => answer.take({ type: REPLY.output, id: 1, payload: Uint8Array.of(stream) })).toThrow(FieldError);
  });
});
