import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkCommand } from "../../../src/gate/check.ts";
import type { CheckVerdict } from "../../../src/gate/check-verdict.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { operatorCheck } from "./operator-check.ts";

/** Plain below a start, and also where nothing stands before them. */
const NAMES = ["a.ts", "src/b.ts", "src/deep/@x/-c.ts", ".hidden"];

async function checked(command: string, names: readonly string[] = [], change: (workspace: string) => void = () => undefined): Promise<CheckVerdict> {
  const parts = operatorCheck((workspace) => {
    for (const name of [...NAMES, ...names]) {
      mkdirSync(join(workspace, dirname(name)), { recursive: true });
      writeFileSync(join(workspace, name), "foo\n");
    }
    change(workspace);
  });
  return await checkCommand(parts, command);
}

const verdictOn = async (...question: Parameters<typeof checked>): Promise<string> => (await checked(...question)).decision;

/** They print names behind the start that the words give. */
const BEHIND_STARTS = [
  "grep -rl foo . | xargs wc -l",
  "grep -rl --include='*.ts' -e foo src 2>/dev/null | xargs sed -n 1,5p",
  "rg -l foo src | xargs wc -l",
  "rg --files src -g '*.ts' | xargs wc -l",
  "fd . src -e ts -t f | xargs head -3",
  "find . -name '*.ts' | grep -v node_modules | xargs wc -l",
  "find . -name '*.ts' | sort | uniq | head -20 | tail -n +2 | xargs wc -l",
  "find src -type f | grep -E 'a|b' | xargs -I {} stat {}",
  "wc -l $(find . -name '*.ts')",
  "grep -n bar $(grep -rl foo src | sort) | head -5",
  "head -3 `rg -l foo src`",
  "bash -c 'wc -l $(find . -type f)'",
  "timeout 5 wc -l $(find src)",
  `for f in $(find . -name '*.ts'); do echo "== $f"; wc -l "$f"; head -3 $f; done`,
  `for f in $(rg -l foo src); do if [ -f "$f" ] && grep -q foo "$f"; then git log --oneline -- "$f" | head -1; fi; done`,
  `show() { cat "$1"; }; for f in $(find src); do show "$f"; done`,
];

/** They print names that nothing stands before. */
const BARE = [
  "grep -rl foo | xargs wc -l",
  "rg -l foo | sort | xargs wc -l",
  "rg --files | xargs grep -n foo",
  "fd -e ts | xargs wc -l",
  "fdfind -H foo | xargs wc -l",
  "ls | xargs wc -l",
  "ls -1tr src | head -n 1 | xargs cat",
  "wc -l $(rg -l foo)",
  "cat $(ls -t | head -1)",
];

test.each([...BEHIND_STARTS, ...BARE])("`%s` reads what is found where every name is plain", async (command) => {
  const { decision, reads } = await checked(command);
  expect([decision, reads.filter((path) => path.includes("…"))]).toEqual(["allow", []]);
});

test.each([...BEHIND_STARTS, ...BARE])("`%s` is asked about where a name is not plain", async (command) => {
  expect(await verdictOn(command, ["src/a /etc/passwd.ts", "a /etc/passwd.ts"])).toBe("ask");
});

const OPTIONS = ["-f", "+1", "@list", "a=b", "host:f", "(", "!", "%1", "-"];

describe.each(OPTIONS)("a file of the name `%s`", (name) => {
  test.each(BARE.filter((command) => !command.includes(" src")))("makes `%s` a question", async (command) => {
    expect(await verdictOn(command, [name])).toBe("ask");
  });
  test.each(BEHIND_STARTS)("means nothing to `%s`", async (command) => {
    expect(await verdictOn(command, [name])).toBe("allow");
  });
});

test("of a list of one directory only its own names matter", async () => {
  expect(await verdictOn("ls | xargs wc -l", ["lib/a b"])).toBe("allow");
  expect(await verdictOn("ls src | xargs wc -l", ["a b"])).toBe("allow");
  expect(await verdictOn("ls src | xargs wc -l", ["src/-f"])).toBe("ask");
  expect(await verdictOn("ls src | xargs wc -l", [], (workspace) => symlinkSync("src", join(workspace, "link")))).toBe("allow");
  expect(await verdictOn("ls link | xargs wc -l", [], (workspace) => symlinkSync("src", join(workspace, "link")))).toBe("ask");
});

test.each([
  ["find . -print0 | sort -z | xargs -0 cat", "allow"],
  ["find . -print0 | head -zn 3 | xargs -0 cat", "allow"],
  ["find . -print0 | sort | xargs -0 cat", "ask"],
  ["find . | sort -z | xargs cat", "ask"],
  ["grep -rlZ foo . | xargs -0 cat", "ask"],
])("`%s`, where names end with a zero byte: %s", async (command, expected) => {
  expect(await verdictOn(command, ["a b"])).toBe(expected);
});

test.each([
  [`cat $(find ${"a ".repeat(7500)})`, "more starts than anybody looks below"],
  ["find if= -type f | xargs dd", "a start that is an assignment to dd"],
  ["find if= -type f -print0 | xargs -0 dd", "the same, with zero bytes"],
  ["find if= -type f -exec dd {} \\;", "the same, by find itself"],
  ["dd $(find if= -type f)", "the same, in a substitution"],
  ['for f in $(find if= -type f); do dd "$f"; done', "the same, in a loop"],
  ["fd . if= -x dd", "the same, by fd"],
  ["find @x -type f | xargs wc -l", "a start that some take for a list"],
  ["find src -name -print0 -o -name '*' | xargs -0 cat", "a text that looks like an action"],
  ["ls -a | xargs cat", "the directory above"],
  ["ls -l | xargs cat", "more than names"],
  ["ls -m | xargs cat", "commas"],
  ["ls -R | xargs cat", "names of directories with a colon"],
  ["ls src a.ts | xargs cat", "several operands"],
  ["ls *.ts | xargs cat", "a pattern, which may find a directory"],
  ["grep -l foo | xargs cat", "what grep reads from its input"],
  ["grep -r foo . | xargs cat", "the lines themselves"],
  ["grep -rc foo . | xargs cat", "counts"],
  ["grep -rlH foo . | xargs cat", "an option that the reading does not know"],
  ["grep -Rl foo . | xargs cat", "links that are followed"],
  ["grep --recurs -l foo . | xargs cat", "an abbreviation, which may follow links"],
  ["grep -rl foo .. | xargs cat", "what lies above"],
  ["grep -rl foo -- -x | xargs cat", "a start that is like an option"],
  ["rg foo | xargs cat", "the lines themselves"],
  ["rg -lL foo | xargs cat", "links that are followed"],
  ["rg -l0 foo | xargs cat", "zero bytes"],
  ["rg -l foo --path-separator ' ' | xargs cat", "another separator"],
  ["rg -l foo ../x | xargs cat", "what lies above"],
  ["fd -L foo | xargs cat", "links that are followed"],
  ["fd -l foo | xargs cat", "more than names"],
  ["fd --format '{/}' foo | xargs cat", "names of another form"],
  ["fd --base-directory src foo | xargs cat", "another start"],
  ["find . | grep -o '[^/]*' | xargs cat", "parts of lines"],
  ["find . | grep -n a | xargs cat", "numbers of lines"],
  ["find . | grep -c a | xargs cat", "a count"],
  ["find . | grep -C 1 a | xargs cat", "a mark between the lines"],
  ["find . | grep -r a | xargs cat", "a search of its own"],
  ["find . | grep a src/b.ts | xargs cat", "lines of a file"],
  ["find . | grep a - src/b.ts | xargs cat", "lines of a file"],
  ["find . | grep -f src/b.ts a | xargs cat", "patterns of a file, and lines of another"],
  ["find . | head -c 5 | xargs cat", "a part of a line"],
  ["find . | head -v | xargs cat", "a line of its own"],
  ["find . | sort -o out | xargs cat", "a file that it writes"],
  ["find . | sort a.ts | xargs cat", "lines of a file"],
  ["find . | sort --compress-program=./x | xargs cat", "a program that it starts"],
  ["find . | uniq -c | xargs cat", "counts"],
  ["find . | sed 's/a/b/' | xargs cat", "other names"],
  ["find . | awk '{print $1}' | xargs cat", "parts of lines"],
  ["find . | tee list | xargs cat", "a file that it writes"],
  ['find . | grep "$x" | xargs cat', "words that nobody knows"],
  ["find . | grep a | sort < list | xargs cat", "another input"],
  ["find . | { head -1; cat; } | xargs cat", "two that share the input"],
  ["find . |& sort | xargs cat", "errors among the names"],
  ["find . | sort |& xargs cat", "errors among the names"],
  ["find . | sort 2>&1 | xargs cat", "errors among the names"],
  ["find . | LC_ALL=C sort | xargs cat", "a variable of its own"],
  ["sort() { echo /etc/passwd; }; find . | sort | xargs cat", "a function of the same name"],
  ["grep() { echo /etc/passwd; }; find . | grep a | sort | xargs cat", "a function further up the pipe"],
  ['cat "$(find . -name a)"', "one word of all names"],
  ["cat x$(find . -name a)", "a text before the names"],
  ["cat $(find . -name a).ts", "a text behind the names"],
  ["cat < $(find . -name a)", "a redirection"],
  ["x=$(find .); cat $x", "a variable that holds the names"],
  ["IFS=/; cat $(find . -name a)", "another separator"],
  ["sh -c 'cat $(find .)'", "a shell that may be zsh"],
  ["cat $(find .) $(ls)", "two lists"],
  ["cat $(find .; cat list)", "a second command"],
  ["cat $(find . && cat list)", "more than names"],
  ["cat $(cd src && find .)", "names from elsewhere"],
  ["cat $(find . > out)", "an output that is elsewhere"],
  ["cat $(cat list | find . | sort -m - list)", "lines of a file"],
  ["cat $(find . -exec rm {} +)", "an action that starts programs"],
  ["find() { cat list; }; cat $(find .)", "a function of the same name"],
  ["sort() { cat list; }; cat $(find . | sort)", "a function of the same name"],
  ["for i in 1 2; do find . | xargs cat; find() { cat list; }; done", "a function that comes later"],
  ["cat $(find .); find() { cat list; }", "a function that comes after the list"],
  ["cat $(find . |& sort)", "errors among the words"],
  ['show() { cat "$@"; }; show $(find .)', "a function of the text"],
  ["cat() { rm -f $1 /etc/x; }; cat $(find .)", "a function that takes the names"],
  ["shopt -s extglob; cat $(find .)", "other patterns"],
  ["trap 'echo /etc/passwd' ERR; set -E; cat $(find . -name a)", "a trap that prints"],
  ["sh $(find . -name '*.sh')", "programs"],
  ["$(find . -name x)", "a program"],
  ["rm $(find . -name x)", "files that are deleted"],
  ["sort -o $(find . -name x) a.ts", "an option that takes what follows where the list is empty"],
  ["git show $(ls)", "a program to which a name is more than a file"],
  ["source $(find . -name x)", "a builtin"],
  ["for f in $(ls); do cat $f; done", "a loop over names that nothing stands before"],
  ["for f in $(find .) /etc/passwd; do cat $f; done", "other words among the names"],
  ["for f in $(find .); do cat $f; done; cat $f", "the variable after the loop"],
  ["for f in $(find .); do f=$(cat list); cat $f; done", "another value"],
  ['for f in $(find .); do cat "$f.bak"; done', "another name"],
  ['for f in $(find .); do cat < "$f"; done', "a redirection"],
  ['for f in $(find .); do "$f"; done', "a program"],
  ['for f in $(find .); do rm "$f"; done', "a file that is deleted"],
  ['for f in $(find .); do cp "$f" "$f.bak"; done', "a file that is written"],
  ['for f in $(find .); do cd "$f"; cat a; done', "another directory"],
  ["for PATH in $(find .); do cat a; done", "a variable that programs look for"],
  ["for http_proxy in $(find .); do curl https://example.com; done", "a variable that programs look for"],
  ['for my_var in $(find .); do wc -l "$my_var"; done', "a variable that somebody could look for"],
  ["export f; for f in $(find .); do cat $f; done", "a variable that is handed on"],
  ["set -a; for f in $(find .); do cat $f; done", "a variable that is handed on"],
  ["export LC_ALL=zh_TW.BIG5; wc -l $(find .)", "a locale"],
  ["wc -l $(find .); cp a.ts b", "a file that is made beside it"],
  ["ls | xargs sh", "a program that takes names for more than files"],
  ["ls | xargs git show", "a program that takes names for more than files"],
  ["ls | xargs timeout 1 cat", "a wrapper"],
])("`%s` is asked about: %s", async (command) => {
  expect(["ask", "deny"]).toContain(await verdictOn(command));
});

test("what lists and filters print is nothing but names: the real programs, in a tree with every kind of name", () => {
  const directory = temporaryDirectory();
  const names = ["a.ts", "src/b.ts", "src/deep/-c", "src/deep/@d", "-x", "+y", "z=1", "w:1", "e f", "é", "src/n\nl", "bin", ".h/i"];
  for (const name of names) {
    mkdirSync(join(directory, dirname(name)), { recursive: true });
    writeFileSync(join(directory, name), name === "bin" ? "foo\0" : "foo\n");
  }
  const run = (command: string): string => execFileSync("bash", ["-c", command], { cwd: directory, encoding: "utf8" });
  const exist = new Set(run("find . -print0").split("\0").slice(0, -1));
  const listed = (command: string): readonly string[] => run(command).split("\n").slice(0, -1);
  const ordinary = (line: string): boolean => !/n$|^l$|[^ -~]|\\/u.test(line);
  for (const start of [".", "src", "./src/", "src//deep"])
    for (const command of [`grep -rl foo ${start}`, `grep -rLie fooo ${start}; true`, `find ${start} -type f | grep -v zz | sort -u | head -99`])
      for (const line of listed(command).filter(ordinary))
        expect([command, line.startsWith(start), exist.has(join("./", line)) || exist.has(`./${join(line)}`)]).toEqual([command, true, true]);
  for (const command of ["grep -rl foo", "ls", "ls -1tr", "ls -ASU .", "ls | sort -r | uniq -i | tail -n +1"])
    for (const line of listed(command).filter(ordinary)) expect([command, exist.has(`./${line}`)]).toEqual([command, true]);
});
