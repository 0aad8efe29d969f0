import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand } from "../../../src/gate/check.ts";
import type { CheckVerdict } from "../../../src/gate/check-verdict.ts";
import { ORDINARY_NAMES } from "../../../src/shell/effects/operands/file-names.ts";
import { scene } from "../gate-scene.ts";
import { operatorCheck } from "./operator-check.ts";

const HARMLESS = ["a.txt", "good/b", ".env.example", "src/-x", "src/@f", "src/a=b", "My Notes (2).txt", "été", "_"];

/** The verdict of the policy `operator` in a workspace with harmless names and these. */
async function checked(command: string, names: readonly (string | Buffer)[] = []): Promise<CheckVerdict> {
  const parts = operatorCheck((workspace) => {
    for (const name of [...HARMLESS, ...names]) {
      mkdirSync(join(workspace, dirname(name.toString())), { recursive: true });
      writeFileSync(Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from(name)]), "");
    }
    symlinkSync("good", join(workspace, "link"));
  });
  return await checkCommand(parts, command);
}

test.each([
  "sort *.txt",
  "rg foo *",
  "jq . ?.json | head -3",
  "wc -l * | tail -1",
  "du -sh *",
  "file [a-z]* */a",
  "bash -c 'sort *'",
  "sort *.txt 2>/dev/null && wc *",
  "cd good && sort *",
])("`%s` reads files where every name right in the directory is a file's", async (command) => {
  const { decision, reads } = await checked(command);
  expect([decision, reads.filter((path) => path.includes("…"))]).toEqual(["allow", []]);
});

test.each([
  ["an option", "-o"],
  ["an option of two words", "--files0-from=src"],
  ["a command of less", "+!id"],
  ["a list of words", "@f"],
  ["an assignment", "a=b"],
  ["a host", "h:f"],
  ["an operator", "!"],
  ["a group", "(a"],
  ["a pipe", "|id"],
  ["a comment", "#a"],
  ["a home", "~a"],
  ["a format", "a%(x)"],
  ["an option behind a line", "a\n-o"],
  ["bytes that are no UTF-8", Buffer.from([0x61, 0xff])],
])("one name that may be more makes it a question: %s", async (_what, name) => {
  const { decision, reason } = await checked("sort *.txt", [name]);
  expect([decision, reason]).toEqual(["ask", expect.stringContaining("`*.txt` may be an option of sort; a name that is found may be one, which `./`")]);
  expect((await checked("wc -l *.txt", [name])).decision).toBe("ask");
  expect((await checked("sort ./*.txt", [name])).decision).toBe("allow");
});

test.each([
  ["cd link && sort *", "a directory behind a link"],
  ["cd src && sort *", "another directory, with other names"],
  ["cd /tmp && sort *", "a directory that is not the workspace's"],
  ["cd $x; sort *", "a directory that nobody knows"],
  ["timeout 5 sort *", "a wrapper"],
  ["zsh -c 'sort *'", "a shell that reads patterns otherwise"],
  ["sort -*", "a pattern that begins as an option does"],
  ["shopt -s extglob; sort +(a)*", "a pattern that may stay an option"],
  ["touch -- -o; sort *", "a name that is made before"],
  ["cp src/-x . & sort *", "a name that is made beside it"],
  ["X=a; sort *", "a variable, which may be one that patterns go by"],
  ["GLOBIGNORE=a sort *", "a variable in front"],
  ["sort -k *", "names that are the value of an option"],
  ["timeout *", "names that are a command"],
  ["sort -o *", "names that are written"],
  ["uniq *", "more names than operands"],
  ["resolvectl dns a*", "more names than operands, none of which is an option"],
])("`%s` is asked about: %s", async (command) => {
  expect((await checked(command)).decision).not.toBe("allow");
});

test("a wrapper that leads elsewhere was given names of where it stands", async () => {
  expect((await checked("env -C good sort *", ["-o"])).decision).toBe("ask");
});

test("names that begin like an option of any program are never a file's", () => {
  const first = Array.from({ length: 127 }, (_, index) => String.fromCodePoint(index + 1)).filter((character) => ORDINARY_NAMES.test(character));
  expect(first.join("")).toMatch(/^[._0-9A-Za-z]{64}$/);
  expect(
    ["=", ":", "@", "%", "|", "/", "\\", "$", "`", "*", "?", "<", ">", ";", "\n", "\u0085", "\u200b", "\ufffd"].filter((each) =>
      ORDINARY_NAMES.test(`a${each}`),
    ),
  ).toEqual([]);
});

test("an allowed call does not run when a name has come that may be an option", async () => {
  const { session, workspace, call } = scene();
  writeFileSync(join(workspace, "a.txt"), "");
  expect((await call("shell", { command: "sort *.txt" })).kind).toBe("executed");
  const names = session.names.bind(session);
  // Once it is judged by the names, another one comes.
  Object.assign(session, {
    names: async (directory: string, depth?: 1) => {
      const found = await names(directory, depth);
      writeFileSync(join(workspace, "-o.txt"), "");
      return found;
    },
  });
  const { kind, result } = await call("shell", { command: "sort *.txt" });
  expect([kind, JSON.stringify(result)]).toEqual(["denied", expect.stringContaining("may now be an option")]);
  expect(session.performed).toHaveLength(1);
});
