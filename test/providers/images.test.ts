import { expect, test } from "vitest";
import type { Image, Message } from "../../src/providers/contract/message.ts";
import { boundImages } from "../../src/providers/sdk/images.ts";

const image = (characters: number): Image => ({ mediaType: "image/png", base64: "A".repeat(characters) });
const asked = (...images: readonly Image[]): Message => ({ kind: "user", text: "Look.", images });
const answered = (...images: readonly Image[]): Message => ({
  kind: "tool",
  results: images.map((shown, index) => ({
    kind: "tool-result",
    callId: `c${index}`,
    name: "read_file",
    text: "[untrusted output]",
    images: [shown],
    isError: false,
  })),
});
const countOf = (messages: readonly Message[]): number => JSON.stringify(messages).split('"base64"').length - 1;

test("of many images the newest twenty are sent, and the text says where one is missing", () => {
  const messages = [asked(image(10), image(10)), ...Array.from({ length: 20 }, () => answered(image(10)))];
  const bounded = boundImages(messages);
  expect(countOf(bounded)).toBe(20);
  expect(bounded[0]).toMatchObject({ text: "Look.\n[warder: an image is left out here]\n[warder: an image is left out here]", images: [] });
  expect(bounded[20]).toEqual(messages[20]);
});

test("an image that is larger than a server takes is left out, and all together stay below the limit of a request", () => {
  expect(countOf(boundImages([asked(image(7_000_000))]))).toBe(0);
  const bounded = boundImages(Array.from({ length: 5 }, () => answered(image(6_000_000))));
  expect(countOf(bounded)).toBe(2);
  expect(JSON.stringify(bounded).length).toBeLessThan(16 * 1024 * 1024 + 2_000);
});

test("a conversation without images stays the same bytes", () => {
  const messages: Message[] = [{ kind: "user", text: "Go." }, answered()];
  expect(JSON.stringify(boundImages(messages))).toBe(JSON.stringify(messages));
});
