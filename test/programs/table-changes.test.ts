import { expect, test } from "vitest";
import { programChanges } from "../../src/programs/table-changes.ts";

/** The commands that show where two tables differ, by program. */
function shown(before: string | null, after: string, most = 1000): Readonly<Record<string, readonly string[]>> {
  const family = (text: string) => [{ file: "a.ts", text: `\n${text}` }];
  const changes = programChanges(before === null ? null : family(before), family(after), most);
  return Object.fromEntries(
    changes.map(({ program, calls, isCut }) => [
      program,
      [...calls.map(({ words, isOpen }) => [...words, ...(isOpen === true ? ["$"] : [])].join(" ")), ...(isCut ? ["…"] : [])],
    ]),
  );
}

test("what says the same in other words is no change", () => {
  expect(shown("aa bb : read* | -a,--all -[xy]", "bb : read* | -[yx] -a --all\naa : read* | -a,--all -x -y")).toEqual({});
});

test("an option that one of them names is shown with its values, apart and attached, with and without operands", () => {
  const calls = ["aa -o a a", "aa -o a", "aa -oa a", "aa -oa", "aa -o /etc/a a", "aa -o /etc/a", "aa -o/etc/a a", "aa -o/etc/a"];
  expect(shown("aa : read\nbb : read", "aa : read | -o=write\nbb : read")).toEqual({ aa: calls });
  expect(shown("aa : read | -o=write", "aa : read")).toEqual({ aa: calls });
  expect(shown("aa : | --when=text?", "aa : | --when=(always|never)")).toEqual({
    aa: ["aa --when=a", "aa --when always", "aa --when", "aa --when=always", "aa --when never", "aa --when=never", "aa --when zz", "aa --when=zz"],
  });
});

test("a subcommand that differs is shown by its operands, and by an option and a word that nobody knows", () => {
  expect(shown("aa :\n  bb : text\n  cc : text", "aa :\n  bb : text\n  cc : text text")).toEqual({
    aa: ["aa cc", "aa cc a", "aa cc a a", "aa cc a a a", "aa cc $", "aa cc --zz"],
  });
  expect(shown("aa :", "aa :\n  get-* :")).toEqual({ aa: ["aa get-a", "aa get-a a", "aa get-a $", "aa get-a --zz"] });
});

test("an option that subcommands inherit is shown in each", () => {
  expect(shown("aa :\n  bb :", "aa : || -x\n  bb :")).toEqual({ aa: ["aa -x", "aa bb -x"] });
});

test("a program that one of them has alone is a change, as is each where nobody knows what the other says", () => {
  expect(Object.keys(shown("aa : read", "aa : read\nbb : read"))).toEqual(["bb"]);
  expect(Object.keys(shown("aa : read\nbb : read", "aa : read"))).toEqual(["bb"]);
  expect(Object.keys(shown(null, "aa : read\nbb : read"))).toEqual(["aa", "bb"]);
});

test("programs share what may be shown at most, and say that there is more", () => {
  expect(shown(null, "aa : read\nbb :", 4)).toEqual({ aa: ["aa", "aa a", "…"], bb: ["bb", "bb a", "…"] });
  expect(shown(null, "aa : read\nbb :", 1)).toEqual({ aa: ["aa", "…"], bb: ["…"] });
});

test("a table that cannot be read is told with its place", () => {
  expect(() => shown("aa : new-role", "aa : read")).toThrow('a.ts:3: unknown role "new-role"');
});
