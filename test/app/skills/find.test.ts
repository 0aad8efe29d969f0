import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepWorkspaces } from "../../../src/config/state/workspaces.ts";
import { skillFolders, skillText } from "./skill-folders.ts";

/** Puts into a skill's folder what no skill may have. */
type Spoil = (folder: string) => void;

const write =
  (path: string, content: string | Buffer): Spoil =>
  (folder) => {
    writeFileSync(join(folder, path), content);
  };

const link =
  (target: string, path: string): Spoil =>
  (folder) => {
    rmSync(join(folder, path), { force: true });
    symlinkSync(target, join(folder, path));
  };

const hardLink: Spoil = (folder) => {
  writeFileSync(`${folder}.other`, "b");
  linkSync(`${folder}.other`, join(folder, "b"));
};

const writable: Spoil = (folder) => {
  writeFileSync(join(folder, "d"), "");
  chmodSync(join(folder, "d"), 0o666);
};

const fill =
  (count: number, bytes: number): Spoil =>
  (folder) => {
    for (let at = 0; at < count; at += 1) writeFileSync(join(folder, `f${at}`), Buffer.alloc(bytes));
  };

test.each<readonly [string, string, Spoil]>([
  ["a link", "a is a link", link("/etc/passwd", "a")],
  ["a link to a directory", "a is a link", link("/etc", "a")],
  ["a link for its text", "SKILL.md is a link", link("/etc/passwd", "SKILL.md")],
  ["a hard link", "b has a second name (a hard link)", hardLink],
  ["a FIFO", "c is a special file", (folder) => void execFileSync("mkfifo", [join(folder, "c")])],
  ["a file that everybody may write", "d may be changed by everybody", writable],
  ["a huge file", "e is longer than 256 KiB", write("e", Buffer.alloc(256 * 1024 + 1))],
  ["a huge text", "SKILL.md is longer than 64 KiB", write("SKILL.md", skillText("greet", "Greets.", "x".repeat(65_536)))],
  ["too many files", "it has more than 300 files", fill(300, 0)],
  ["too much", "it has more than 4 MiB of files", fill(17, 262_144)],
  ["depth", "lies deeper than 5 directories", (folder) => void mkdirSync(join(folder, "a/b/c/d/e/f"), { recursive: true })],
  ["a name that goes on a line of its own", "a\\nb has a name with other characters", write("a\nb", "")],
  ["a hidden name", ".env has a name with other characters", write(".env", "")],
  ["a name that reads backwards", "a\\u{202e}b has a name with other characters", write("a\u202eb", "")],
  ["no front matter", "SKILL.md does not begin with name", write("SKILL.md", "Say hello.\n")],
  ["another name than its folder's", "SKILL.md calls it other", write("SKILL.md", skillText("other"))],
  ["a hidden character in its description", "SKILL.md: The file is not valid YAML", write("SKILL.md", skillText("greet", '"a\u202eb"'))],
  ["an escaped one", "SKILL.md does not begin with name", write("SKILL.md", skillText("greet", '"a\\u001b[2Jb"'))],
  ["a description without end", "SKILL.md does not begin with name", write("SKILL.md", skillText("greet", "x".repeat(1025)))],
  ["a description that is a list", "SKILL.md does not begin with name", write("SKILL.md", skillText("greet", "[a, b]"))],
  ["keys that are not there", "SKILL.md does not begin with name", write("SKILL.md", "---\n---\nSay hello.\n")],
  ["aliases that multiply", "SKILL.md: The file uses too many aliases", write("SKILL.md", `---\na: &a [x, x]\nb: [${"*a, ".repeat(30)}]\n---\n`)],
  ["no text", "SKILL.md does not begin with name", write("SKILL.md", Buffer.from([0xff, 0xfe, 0]))],
])("a folder with %s is no skill", (_what, problem, spoil) => {
  const here = skillFolders();
  spoil(here.make("greet"));
  expect(here.problems()["greet"]).toContain(problem);
  expect(here.ofRun().offered).toEqual([]);
});

test.each(["Greet", "gr_eet", "-greet", "gr--eet", "greet\u200b", `g${"x".repeat(64)}`, "greet\n"])("a folder that is called %j is no skill", (name) => {
  const here = skillFolders();
  here.make("greet");
  renameSync(join(here.root, "greet"), join(here.root, name));
  expect(Object.values(here.problems())).toEqual(["its folder's name has other characters than lower-case letters, digits and single -"]);
});

test("of two skills with one name none is offered, and a folder of a root that is a link neither", () => {
  const here = skillFolders();
  const other = join(here.root, "../other");
  mkdirSync(other);
  here.make("greet");
  here.pin("greet");
  expect(here.problems()).toEqual({ greet: null });
  mkdirSync(join(other, "greet"));
  writeFileSync(join(other, "greet/SKILL.md"), skillText("greet"));
  expect(here.problems([], [here.root, other])).toEqual({ greet: "another folder has the same name" });
  symlinkSync(join(other, "greet"), join(here.root, "linked"));
  expect(here.problems()["linked"]).toBe("it is a link");
});

test("no skill is taken from where agents may write, or ever could, whatever was confirmed", () => {
  const here = skillFolders();
  const folder = here.make("greet");
  here.pin("greet");
  expect(here.problems()).toEqual({ greet: null });
  const root = { [here.root]: "it lies where agents may write" };
  expect(here.problems([here.root])).toEqual(root);
  expect(here.problems([join(here.root, "..")])).toEqual(root);
  symlinkSync(join(here.root, ".."), join(here.state, "link"));
  expect(here.problems([join(here.state, "link")])).toEqual(root);
  expect(here.problems([folder])).toEqual({ greet: "agents may write there" });
  expect(here.problems([join(folder, "scripts")])).toEqual({ greet: "agents may write there" });
  const notOffered = { offered: [], notes: ["the skill greet is not offered: agents may write there"] };
  expect(here.ofRun("", folder)).toMatchObject(notOffered);
  const server = (access: string): string => `mcp:\n  notes: { command: [notes], roots: [{ path: ${folder}, access: ${access} }] }\n`;
  expect(here.ofRun(server("read")).offered).toHaveLength(1);
  expect(here.ofRun(server("read-write"))).toMatchObject(notOffered);
  keepWorkspaces(here.state, [folder], () => []);
  expect(here.ofRun()).toMatchObject(notOffered);
});

test("a root that everybody may write, that is a file, or that is not there is told", () => {
  const here = skillFolders();
  here.make("greet");
  const file = join(here.root, "greet/SKILL.md");
  expect(here.problems([], [file, join(here.root, "none")])).toEqual({ [file]: "it is no directory", [join(here.root, "none")]: "it is not there" });
  chmodSync(here.root, 0o777);
  expect(here.problems()).toEqual({ [here.root]: "everybody may write there; run: chmod o-w on it" });
});
