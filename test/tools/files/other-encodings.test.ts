import { expect, test } from "vitest";
import { decodeTextFile, whyNotRewritten } from "../../../src/tools/files/text-file.ts";
import { imageOf } from "../../../src/tools/files/image-file.ts";

const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

test.each([
  ["UTF-16LE with a mark", Buffer.from("\uFEFFgrüßt\n", "utf16le"), "UTF-16LE"],
  ["UTF-16BE with a mark", utf16be("\uFEFFgrüßt\n"), "UTF-16BE"],
  ["UTF-16LE without one", Buffer.from("grüßt\n", "utf16le"), "UTF-16LE"],
  ["UTF-16BE without one", utf16be("grüßt\n"), "UTF-16BE"],
  ["Latin-1", Buffer.from("grüßt\n", "latin1"), "Latin-1"],
])("text in %s is shown, and is never written back", (_what, bytes, encoding) => {
  const file = decodeTextFile(bytes);
  expect(file).toMatchObject({ text: "grüßt\n", encoding, isExact: false });
  expect(whyNotRewritten(file)).toContain(`iconv -f ${encoding === "Latin-1" ? "ISO-8859-1" : encoding}`);
});

test.each([
  ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
  ["zeros", Buffer.alloc(100)],
  ["a number of two bytes, over and over", Buffer.from([1, 0, 0, 2, 3, 0, 0, 4, 5, 0])],
  ["an odd length", Buffer.from("aaaaaaaa\n\0", "latin1").subarray(0, 10)],
])("%s is binary", (_what, bytes) => {
  expect(decodeTextFile(bytes)).toBeNull();
});

test("bytes with controls are no Latin-1", () => {
  expect(decodeTextFile(Buffer.from([0x61, 0x01, 0xff]))).toMatchObject({ encoding: "UTF-8", isExact: false });
  expect(decodeTextFile(Buffer.from([0x61, 0x85]))).toMatchObject({ encoding: "UTF-8", isExact: false });
});

test("an image is known by its bytes", () => {
  expect(imageOf(Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1"))?.mediaType).toBe("image/png");
  expect(imageOf(Buffer.from("\xff\xd8\xff\xe0", "latin1"))?.mediaType).toBe("image/jpeg");
  expect(imageOf(Buffer.from("GIF89a", "latin1"))?.mediaType).toBe("image/gif");
  expect(imageOf(Buffer.from("RIFF\n\n\n\nWEBP", "latin1"))?.mediaType).toBe("image/webp");
  expect([imageOf(Buffer.from("RIFF....WAVE")), imageOf(Buffer.from("%PDF-1.7")), imageOf(Buffer.alloc(0))]).toEqual([null, null, null]);
});
