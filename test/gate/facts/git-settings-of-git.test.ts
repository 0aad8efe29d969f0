import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { submodulePaths } from "../../../src/gate/facts/git-index.ts";
import { readGitSettings } from "../../../src/shell/effects/languages/git-settings.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

/** What git itself reads in a configuration: names and values; null where it refuses the text. */
function asGit(text: Buffer): readonly string[] | null {
  const file = join(temporaryDirectory(), "config");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync("git", ["config", "-z", "--list", "-f", file], {
    encoding: "latin1",
    env: { PATH: process.env["PATH"], HOME: "/nowhere" },
  });
  return status === 0 ? stdout.split("\0").slice(0, -1) : null;
}

/** The same as this reader has it. */
function asRead(text: Buffer): readonly string[] | null {
  const settings = readGitSettings(text.toString("latin1"));
  const line = (value: string | null): string => (value === null ? "" : `\n${value}`);
  return settings?.map(({ section, subsection, key, value }) => `${section}${subsection === null ? "" : `.${subsection}`}.${key}${line(value)}`) ?? null;
}

const READ = [
  "",
  "# nothing\n; either\n\n",
  "[core]\n\tbare = false\n",
  "[core]\nbare\n",
  "[Core]\nBARE = FALSE\n",
  '[remote "Origin"]\nurl = https://h.test/a.git\n',
  '[remote "a\\"b\\\\c\\d"]\nurl = x\n',
  "[remote.Origin]\nurl = x\n",
  '[a "]"]\nb = c\n',
  "[a-b.c]\nd-e = f\n",
  "[a] ; x\nb = c # d\n",
  '[a]\nb = "c # d" e;f\n',
  '[a]\nb = c "d" e\n',
  '[a]\nb = \\"c\\"\\t\\n\\\\\n',
  "[a]\r\nb = c\r\n",
  "[a]\n  b=  c  d  \n",
  "[a]\nb =\nc = ''\n",
  '[a]\nb = ""\n',
  "[a]\nb = ü\u00a0x\n",
  "[a]\nb = c",
  "[a]\nb = c\n[a]\nb = d\n",
];

test.each(READ)("a configuration is read as git reads it: %j", (text) => {
  expect(asGit(Buffer.from(text))).not.toBeNull();
  expect(asRead(Buffer.from(text))).toEqual(asGit(Buffer.from(text)));
});

test.each([
  "[a] b = c\n",
  "[a]\nb = c\\\nd\n",
  '[a]\nb = "c\nd"\n',
  "[a]\nb = c\\\n",
  "\ufeff[a]\nb = c\n",
  "[a]\nb = c\rd\n",
  "[a]\nb = c\0d\n",
  "[a]\nb = \\x\n",
  "b = c\n",
  "[a b]\nc = d\n",
  '[a "b"c]\nd = e\n',
  "[a\n]\nb = c\n",
  "[a]\n1b = c\n",
  "[a]\nb c = d\n",
  "[a]\nb ; c\n",
  "[a]\n\u00a0b = c\n",
  "[]\nb = c\n",
])("a configuration is not known, or means to git what it means here: %j", (text) => {
  const read = asRead(Buffer.from(text));
  expect([null, JSON.stringify(asGit(Buffer.from(text)))]).toContain(read === null ? null : JSON.stringify(read));
});

function index(version: string, count: number, ...settings: readonly string[]): Buffer {
  const directory = temporaryDirectory();
  const git = (...words: readonly string[]): string =>
    execFileSync("git", ["-C", directory, ...settings, ...words], { encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
  git("init", "-q");
  const id = "1".repeat(40);
  const files = Array.from({ length: count }, (_, at) => `100644 ${id}\tdeep/folder/${String(at).padStart(6, "0")}`);
  const names = [...files, `160000 ${id}\tdeep/sub`, `160000 ${id}\tzzz`].join("\n");
  execFileSync("git", ["-C", directory, ...settings, "update-index", `--index-version=${version}`, "--index-info"], {
    input: `${names}\n`,
    stdio: ["pipe", "pipe", "pipe"],
  });
  mkdirSync(join(directory, "zzz"));
  return readFileSync(join(directory, ".git/index"));
}

test.each(["2", "4"])("the submodules of an index of version %s are those of git", (version) => {
  expect(submodulePaths(index(version, 100), 20)).toEqual(["deep/sub", "zzz"]);
});

// With so many entries git writes where each part of them begins, and reads the parts by that.
const PARTED = ["-c", "index.threads=4"];

test("the parts of an index begin where entries do", () => {
  const bytes = index("2", 45_000, ...PARTED);
  const at = bytes.indexOf("IEOT");
  expect(at).toBeGreaterThan(0);
  expect(submodulePaths(bytes, 20)).toEqual(["deep/sub", "zzz"]);
  for (const offset of [16, 20]) {
    const other = Buffer.from(bytes);
    other.writeUInt32BE(other.readUInt32BE(at + offset) + 8, at + offset);
    expect(submodulePaths(withDigest(other), 20)).toBeNull();
  }
});

test("an index of version 4 in parts is not known: each part begins anew", () => {
  expect(submodulePaths(index("4", 45_000, ...PARTED), 20)).toBeNull();
});

function withDigest(bytes: Buffer): Buffer {
  const end = bytes.subarray(0, -20);
  return Buffer.concat([end, createHash("sha1").update(end).digest()]);
}

test.each([
  ["an end that is none", (bytes: Buffer) => bytes.subarray(0, 100)],
  ["a version that is not known", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 7), Buffer.from([9]), bytes.subarray(8)])],
  ["entries elsewhere", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -20), Buffer.from("link\0\0\0\0", "latin1"), bytes.subarray(-20)])],
  [
    "an extension that is longer than the file",
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -20), Buffer.from("ABCD\0\u0001\0\0", "latin1"), bytes.subarray(-20)]),
  ],
])("nothing is known of an index with %s", (_what, change) => {
  expect(submodulePaths(change(index("2", 3)), 20)).toBeNull();
});
