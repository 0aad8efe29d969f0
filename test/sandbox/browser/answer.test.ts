import { expect, test } from "vitest";
import { isReady, readAnswer } from "../../../src/sandbox/browser/answer.ts";
import { MAX_IMAGE, MAX_NOTE, MAX_NOTES, MAX_TITLE, MAX_TREE, MAX_URL } from "../../../src/sandbox/browser/order.ts";

const page = { url: "https://a.example.org/", title: "A", tree: "- text", notes: ["one"], image: "", file: null };
const line = (change: object): string => JSON.stringify({ kind: "page", page: { ...page, ...change } });

test("an answer is read as a stranger's, and keeps nothing that is not of its form", () => {
  expect(readAnswer(line({ more: "than that" }))).toEqual({ kind: "page", page });
  expect(readAnswer('{"kind":"failed","reason":"why","more":1}')).toEqual({ kind: "failed", reason: "why" });
  expect(isReady('{"kind":"ready"}')).toBe(true);
});

test.each([
  ["no JSON", "{"],
  ["no object", "7"],
  ["nothing", "null"],
  ["another kind", '{"kind":"exec"}'],
  ["no page", '{"kind":"page"}'],
  ["a reason that is no text", '{"kind":"failed","reason":{}}'],
  ["a long reason", JSON.stringify({ kind: "failed", reason: "x".repeat(MAX_NOTE + 1) })],
  ["a number for a title", line({ title: 7 })],
  ["half a character", line({ title: "\ud800" })],
  ["a long address", line({ url: "x".repeat(MAX_URL + 1) })],
  ["a long title", line({ title: "x".repeat(MAX_TITLE + 1) })],
  ["a long tree", line({ tree: "x".repeat(MAX_TREE + 1) })],
  ["a file that is no base64", line({ file: { name: "a", data: "!" } })],
  ["a file without a name", line({ file: { data: "" } })],
  ["a large file", line({ file: { name: "a", data: "x".repeat(11_000_000) } })],
  ["a large picture", line({ image: "x".repeat(MAX_IMAGE + 1) })],
  ["many notes", line({ notes: Array.from({ length: MAX_NOTES + 1 }, () => "x") })],
  ["a long note", line({ notes: ["x".repeat(MAX_NOTE + 1)] })],
  ["a note that is none", line({ notes: [null] })],
])("%s is no answer", (_what, text) => {
  expect(readAnswer(text)).toBeNull();
});
