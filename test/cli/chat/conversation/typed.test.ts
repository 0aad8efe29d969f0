import { describe, expect, test } from "vitest";
import { givenName, helpLines, imageNames, ORDERS, pastedImage, readTyped, safeKeys } from "../../../../src/cli/chat/conversation/typed.ts";

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

describe("images in a message", () => {
  test.each([
    ["What is on @view.png?", ["view.png"], []],
    ["view.png, and @shots/a.JPEG.", ["shots/a.JPEG"], ["view.png"]],
    [`@"my view.png" beside @'other view.webp'`, ["my view.png", "other view.webp"], []],
    [String.raw`@~/my\ view.gif`, ["~/my view.gif"], []],
    ["person@host.png is an address, and @types/node no image; (@view.png)", ["view.png"], ["person@host.png"]],
    ["@view.pngx view.png.txt", [], []],
  ])("%j gives those behind an @", (text, given, mentioned) => {
    expect(imageNames(text)).toEqual({ given, mentioned });
  });

  test("a name is written so that it is read as it was", () => {
    for (const name of ["view.png", "my view.png", "it's.png", 'a "b" c.png', "a\\b.png"]) expect(imageNames(givenName(name)).given, name).toEqual([name]);
  });

  test("a paste that is one file is one, and a text that names one is not", () => {
    expect(["/home/a/view.png\n", "'/home/a/my view.png'", String.raw`/home/a/my\ view.png`].map(pastedImage)).toEqual([
      "/home/a/view.png",
      "/home/a/my view.png",
      "/home/a/my view.png",
    ]);
    expect(["see view.png", "view.txt", "a.png b.png", ""].map(pastedImage)).toEqual([null, null, null, null]);
  });

  test("a long line is read in its length", () => {
    const text = [`'${"a".repeat(200_000)}`, "a.".repeat(200_000), "'a ".repeat(100_000), "\\".repeat(200_000)].join(" ");
    expect(imageNames(text)).toEqual({ given: [], mentioned: [] });
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
