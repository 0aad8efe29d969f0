import { describe, expect, test } from "vitest";
import { helpLines, ORDERS, readTyped, safeKeys } from "../../../../src/cli/chat/conversation/typed.ts";

describe("what a person typed", () => {
  test.each([
    ["  ", { kind: "nothing" }],
    [" Fix it. ", { kind: "message", text: "Fix it." }],
    ["/changes", { kind: "order", name: "changes", rest: "" }],
    ["/changes  diff ", { kind: "order", name: "changes", rest: "diff" }],
    ["/later one\ntwo", { kind: "order", name: "later", rest: "one\ntwo" }],
    ["//changes are good", { kind: "message", text: "/changes are good" }],
    ["/etc/hosts is wrong", { kind: "message", text: "/etc/hosts is wrong" }],
    ["/appply", { kind: "unknown-order", name: "appply" }],
    ["/constructor", { kind: "unknown-order", name: "constructor" }],
  ])("%j is read", (text, typed) => {
    expect(readTyped(text)).toEqual(typed);
  });

  test("the help has each order", () => {
    for (const name of Object.keys(ORDERS)) expect(helpLines().some((line) => line.startsWith(`/${name} `))).toBe(true);
  });
});

describe("keys on their way to the line", () => {
  test.each([
    ["x", "x"],
    ["\u001b[A", "\u001b[A"],
    ["\u0001", "\u0001"],
    ["a\u009b2Jb", String.raw`a\u{9b}2Jb`],
    ["\u001b[200~a\r\nb\u001b[31mc\u202e\u001b[201~", `\u001b[200~a\nb${String.raw`\u{1b}[31mc\u{202e}`}\u001b[201~`],
  ])("%j are as they are, but for what would write to the terminal", (keys, safe) => {
    expect(safeKeys(keys)).toBe(safe);
  });
});
