import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { crowdedRooms, importsPastADoor, roomsThatLookUp, unlistedRooms, unusedDoors } from "./support/laws/rooms.ts";
import type { Rooms } from "./support/laws/rooms.ts";
import type { Violations } from "./support/laws/laws.ts";
import { readSources, scanSource } from "./support/laws/source-file.ts";
import type { SourceFile } from "./support/laws/source-file.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const sources = readSources(root, "src");
const rooms = JSON.parse(readFileSync(`${root}/test/support/laws/rooms.json`, "utf8")) as Rooms;
const architecture = readFileSync(`${root}/docs/architecture.md`, "utf8");
const listed = readFileSync(`${root}/docs/rooms.md`, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"));

type Case = { readonly tree: Readonly<Record<string, string>>; readonly rooms?: Rooms };
type Law = {
  readonly name: string;
  readonly law: (files: readonly SourceFile[], rooms: Rooms) => Violations;
  readonly broken: Readonly<Record<string, Case>>;
};

const room = (...doors: readonly string[]): Rooms[string] => ({ purpose: "a room", doors });
const house: Rooms = {
  "src/shell/text": room("line.ts"),
  "src/shell/words": room("word.ts"),
  "src/shell": room("model.ts", "words/word.ts"),
  "src/cli": room(),
};

const laws: readonly Law[] = [
  {
    name: "each folder is a room with a purpose",
    law: unlistedRooms,
    broken: {
      "a folder that is in no list": { tree: { "src/shell/state/a.ts": "" } },
      "a room that is gone": { tree: { "src/shell/model.ts": "" } },
      "a door that is gone": { tree: { "src/shell/text/other.ts": "" }, rooms: { "src/shell/text": room("line.ts") } },
    },
  },
  {
    name: "a room is entered through its doors",
    law: importsPastADoor,
    broken: {
      "from another layer": { tree: { "src/cli/a.ts": 'import { inner } from "../shell/inner.ts";' } },
      "from the next room": { tree: { "src/shell/words/a.ts": 'import { inner } from "../text/inner.ts";' } },
      "through a door of the inner room that is none of the outer": { tree: { "src/cli/a.ts": 'import { line } from "../shell/text/line.ts";' } },
      "from the folder above": { tree: { "src/shell/a.ts": 'import type { Inner } from "./words/inner.ts";' } },
    },
  },
  {
    name: "a door is used",
    law: unusedDoors,
    broken: { "by nobody": { tree: { "src/shell/text/line.ts": "", "src/shell/text/a.ts": 'import { line } from "./line.ts";' } } },
  },
  {
    name: "a room knows only the rooms before it",
    law: roomsThatLookUp,
    broken: { "a room that looks up": { tree: { "src/shell/text/a.ts": 'import type { Word } from "../words/word.ts";' } } },
  },
  {
    name: "a folder shows at most 18 files",
    law: crowdedRooms,
    broken: { nineteen: { tree: Object.fromEntries(Array.from({ length: 19 }, (_unused, index) => [`src/shell/text/a${index}.ts`, ""])) } },
  },
];

describe.each(laws)("$name", ({ law, broken }) => {
  test("holds", () => {
    expect(law(sources, rooms)).toEqual([]);
  });

  test.each(Object.entries(broken))("is seen broken: %s", (_what, { tree, rooms: list = house }) => {
    expect(
      law(
        Object.entries(tree).map(([path, text]) => scanSource(path, text)),
        list,
      ),
    ).not.toEqual([]);
  });
});

describe("the house", () => {
  test("has rooms", () => {
    expect(Object.keys(rooms).length).toBeGreaterThan(40);
  });

  test("is described in docs/rooms.md, room by room", () => {
    expect(listed).toEqual(Object.entries(rooms).map(([folder, { purpose }]) => `| \`${folder.slice("src/".length)}/\` | ${purpose} |`));
  });
});

describe("where a newcomer looks", () => {
  const answers = architecture
    .split("\n")
    .flatMap((line) => [...(/^\| Where .*\| (?<paths>`src\/[^|]*) \|$/u.exec(line)?.groups?.["paths"]?.matchAll(/`(?<path>[^`]+\.(?:ts|c))`/gu) ?? [])])
    .map(({ groups }) => groups?.["path"] ?? "");

  test("has at least twenty answers", () => {
    expect(answers.length).toBeGreaterThanOrEqual(20);
  });

  test.each(answers)("%s is there", (path) => {
    expect(existsSync(`${root}/${path}`)).toBe(true);
  });
});
