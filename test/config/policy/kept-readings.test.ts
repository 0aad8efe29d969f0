import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readingOf } from "../../../src/config/policy/kept-readings.ts";
import type { PolicyFile } from "../../../src/config/policy/files.ts";
import type { PolicyReading } from "../../../src/policy/language/document.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const BUILD = "this program";
const TEXT = 'version: 1\nname: mine\nextends: supervised\ncommands:\n  rules:\n    - { id: a, allow: "ls *", because: "A test." }\n';
const OTHER = TEXT.replace("mine", "other");
const MINE = process.getuid?.() ?? 0;
const file = (text: string, owner = MINE): Pick<PolicyFile, "file" | "text" | "owner"> => ({ file: "mine.yaml", text, owner });

const nameIn = (reading: PolicyReading): string => ("document" in reading ? reading.document.name : "none");
const only = (folder: string): string => join(folder, readdirSync(folder)[0] ?? "");

/** A state directory that keeps what was read of TEXT, but with what is kept of it saying another name: whoever gives that name took it from there. */
function keeping() {
  const state = temporaryDirectory();
  readingOf(file(TEXT), state, BUILD);
  const folder = join(state, "readings");
  const kept = only(folder);
  writeFileSync(kept, readFileSync(kept, "utf8").replace('"mine"', '"kept"'));
  return { state, folder, kept };
}

describe("what is kept of a policy's text", () => {
  test("is taken for exactly this text, by the same program", () => {
    const { state, kept } = keeping();
    expect(nameIn(readingOf(file(TEXT), state, BUILD))).toBe("kept");
    expect(nameIn(readingOf(file(`${TEXT}\n`), state, BUILD))).toBe("mine");
    expect(nameIn(readingOf(file(TEXT), state, "another program"))).toBe("mine");
    expect(nameIn(readingOf(file(TEXT), state, null))).toBe("mine");
    expect(existsSync(kept)).toBe(true);
  });

  test("is nothing of somebody else's file, and not taken for one", () => {
    const { state, folder } = keeping();
    expect(nameIn(readingOf(file(TEXT, MINE + 1), state, BUILD))).toBe("mine");
    readingOf(file(OTHER, MINE + 1), state, BUILD);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("says where each part stands, as the text itself does", () => {
    const state = temporaryDirectory();
    const places = [1, 2].map(() => {
      const reading = readingOf(file(TEXT), state, BUILD);
      return "text" in reading ? [reading.text.at(["commands", "rules", 0, "allow"]), reading.text.atKey(["commands", "rules", 0], "because")] : [];
    });
    expect(places[1]).toEqual(places[0]);
    expect(places[1]?.[0]).toEqual({ file: "mine.yaml", line: 6, column: 23 });
  });

  test.each([
    ["it was cut short", (kept: string) => writeFileSync(kept, readFileSync(kept, "utf8").slice(0, 40))],
    ["it is something else", (kept: string) => writeFileSync(kept, "null")],
    ["others may write it", (kept: string) => chmodSync(kept, 0o666)],
    [
      "a link stands in its place",
      (kept: string) => {
        renameSync(kept, `${kept}.away`);
        symlinkSync(`${kept}.away`, kept);
      },
    ],
    [
      "a directory stands in its place",
      (kept: string) => {
        renameSync(kept, `${kept}.away`);
        mkdirSync(kept);
      },
    ],
  ])("is not taken where %s", (_name, change) => {
    const { state, kept } = keeping();
    change(kept);
    expect(nameIn(readingOf(file(TEXT), state, BUILD))).toBe("mine");
  });

  test("is nothing of a text that is no policy, and need not be possible", () => {
    const state = temporaryDirectory();
    expect(nameIn(readingOf(file("version: 2"), state, BUILD))).toBe("none");
    expect(existsSync(join(state, "readings"))).toBe(false);
    writeFileSync(join(state, "taken"), "");
    expect(nameIn(readingOf(file(TEXT), join(state, "taken"), BUILD))).toBe("mine");
  });

  test("is bounded: the oldest goes", () => {
    const { state, folder } = keeping();
    for (let index = 0; index < 70; index += 1) readingOf(file(`${OTHER}# ${String(index)}\n`), state, BUILD);
    expect(readdirSync(folder)).toHaveLength(64);
    expect(nameIn(readingOf(file(TEXT), state, BUILD))).toBe("mine");
  });
});
