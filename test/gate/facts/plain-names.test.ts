import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand, judgeCall } from "../../../src/gate/check.ts";
import type { CheckVerdict } from "../../../src/gate/check-verdict.ts";
import { PLAIN_NAMES } from "../../../src/shell/effects/operands/file-names.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { policyText, scene, YES } from "../gate-scene.ts";
import { operatorCheck } from "./operator-check.ts";

const HARMLESS = ["src/a.py", "src/[id].py", "src/-f", "#b", "(c)/~{$d&e!|;<f>*`?"];

/** The verdict of the policy `operator` in a workspace with harmless names and these. */
async function checked(
  command: string,
  names: readonly (string | Buffer)[] = [],
  change: (workspace: string) => void = () => undefined,
): Promise<CheckVerdict> {
  const parts = operatorCheck((workspace) => {
    for (const name of [...HARMLESS, ...names]) {
      mkdirSync(join(workspace, dirname(name.toString())), { recursive: true });
      writeFileSync(Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from(name)]), "");
    }
    change(workspace);
  });
  return await checkCommand(parts, command);
}

const verdictOn = async (...question: Parameters<typeof checked>): Promise<string> => (await checked(...question)).decision;

const GREP = "find . -name '*.py' | xargs grep TODO";

test.each([
  GREP,
  "find | xargs cat",
  "find src -type f -print 2>/dev/null | xargs -n 1 wc -l | sort -n | tail -5",
  "find ./src/ missing -maxdepth 1 -not -path '*/.git/*' | xargs -I {} stat {}",
  "cd src && find . -mtime -1 | xargs -r -P 4 head -3",
  'find "$PWD/src" src/a.py | xargs ls -l',
  `bash -c "find . -name '*.py' | xargs grep TODO | head -5"`,
])("`%s` reads what is below where every name is plain", async (command) => {
  const { decision, reads } = await checked(command);
  expect([decision, reads.filter((path) => path.includes("…"))]).toEqual(["allow", []]);
});

test.each([
  ["x -f", "x -f"],
  ["a blank", "src/a /etc/passwd.py"],
  ["a quote", "it's"],
  ["a double quote", 'src/"'],
  ["a backslash", "src\\a"],
  ["a newline", "src/a\n/etc/passwd"],
  ["a tab", "a\tb"],
  ["a vertical tab", "a\vb"],
  ["a control character", "a\u0001"],
  ["a letter with an accent", "src/\u00e9"],
  ["a blank beyond ASCII", "a\u00a0b"],
  ["bytes that are no UTF-8", Buffer.from([0x73, 0x72, 0x63, 0x2f, 0xff])],
  ["a directory's name", "a b/c.py"],
])("one name that is not plain makes it a question: %s", async (_what, name) => {
  const { decision, reason } = await checked(GREP, [name]);
  expect([decision, reason]).toEqual(["ask", expect.stringContaining("`-print0 | xargs -0` prevents")]);
  expect(await verdictOn("find . -name '*.py' -print0 | xargs -0 grep TODO", [name])).toBe("allow");
});

test("names beside the start do not matter, and a link is not followed", async () => {
  const withLink = (workspace: string): void => {
    mkdirSync(join(workspace, "../beside"));
    writeFileSync(join(workspace, "../beside/a b"), "");
    symlinkSync("../../beside", join(workspace, "src/link"));
    symlinkSync("src", join(workspace, "start"));
  };
  expect(await verdictOn("find src | xargs cat", ["lib/a b"])).toBe("allow");
  expect(await verdictOn("find src | xargs cat", [], withLink)).toBe("allow");
  expect(await verdictOn("find -L src | xargs cat", [], withLink)).toBe("ask");
  expect(await verdictOn("find src -follow | xargs cat", [], withLink)).toBe("ask");
  expect(await verdictOn("find -H start | xargs cat", [], withLink)).toBe("ask");
  expect(await verdictOn("find start/ | xargs cat", [], withLink)).toBe("ask");
});

test("what cannot be looked through to its end may hold any name", async () => {
  expect(
    await verdictOn("find src | xargs cat", [], (workspace) => {
      // A file has no more than some 65,000 names on ext4.
      writeFileSync(join(workspace, "#c"), "");
      for (let count = 0; count <= 50_000; count += 1)
        for (const name of ["#b", "#c"]) linkSync(join(workspace, name), join(workspace, `src/${name.slice(1)}${String(count)}`));
    }),
  ).toBe("ask");
  let locked = "";
  const isUnreadable = (workspace: string): void => {
    locked = join(workspace, "src/locked");
    mkdirSync(locked);
    chmodSync(locked, 0);
  };
  // Whoever may read everything cannot be shown what is unreadable.
  const expected = process.getuid?.() === 0 ? "allow" : "ask";
  expect(await verdictOn("find src | xargs cat", [], isUnreadable)).toBe(expected);
  chmodSync(locked, 0o700);
  expect(await verdictOn("find /usr/share/doc | xargs cat")).toBe("ask");
});

test.each([
  ["find . | xargs grep a; cp src/a.py lib", "a file that is made beside it"],
  ["mkdir 'a b' & find . | xargs cat", "a name that is made beside it"],
  ["find . 2>'a b' | xargs cat", "its own errors"],
  ["LC_ALL=zh_TW.BIG5 find . | xargs cat", "a locale"],
  ["export LC_ALL=zh_TW.BIG5; find . | xargs cat", "a locale that is handed on"],
  ["find . | xargs cat | tee out", "a file that what is found is written to"],
  ["find . -fprint out | xargs cat", "a list that is written"],
  ["find . -exec touch 'a b' \\; | xargs cat", "an action"],
  ["find . -delete -print | xargs cat", "another action"],
  ["find . -printf '%f\\n' | xargs cat", "names without their start"],
  ["find . -ls | xargs cat", "more than names"],
  ["find . -print0 | xargs cat", "names that end with a zero byte"],
  ["find . | xargs -0 cat", "all names as one word"],
  ["find . | xargs -d a cat", "another delimiter"],
  ["find . | xargs -a list cat", "another input"],
  ["{ echo /etc/passwd; find .; } | xargs cat", "another writer"],
  ["find . | xargs cat $(head -c 4)", "another reader"],
  ['find . "$x" | xargs cat', "a start that nobody knows"],
  ["find s* | xargs cat", "starts that a pattern makes"],
  ["find 'src /etc' | xargs cat", "a start with a blank"],
  ["find src/../.. | xargs cat", "a start above"],
  ["find -files0-from src/a.py | xargs cat", "starts in a file"],
])("`%s` is asked about: %s", async (command) => {
  const { decision, reads } = await checked(command);
  expect([decision, reads]).toEqual(["ask", expect.arrayContaining([expect.stringContaining("…")])]);
});

test("real xargs takes every plain name for one word", () => {
  const directory = temporaryDirectory();
  const characters = Array.from({ length: 126 }, (_, index) => String.fromCodePoint(index + 1));
  const plain = characters.filter((character) => PLAIN_NAMES.test(character));
  expect(plain.join("")).toMatch(/^!#\$%&\(\)\*\+,-\.\/0123456789:;<=>\?@A[^\\]*\[\]\^_`a[^\\]*z\{\|\}~$/u);
  const names = [...plain.flatMap((each) => (each === "/" ? [] : [`${each}a`, `a${each}`, `b${each}a`])), "_", "{}", "-0", "#", "EOF"];
  for (const name of names) writeFileSync(join(directory, name), "");
  const found = (command: string): readonly string[] =>
    [...new Set(execFileSync("bash", ["-c", command], { cwd: directory, encoding: "utf8" }).split("\0").slice(0, -1))].toSorted();
  const expected = [...new Set(names)].map((name) => `./${name}`).toSorted();
  expect(found("find . -type f | xargs printf '%s\\0'")).toEqual(expected);
  expect(found("find . -type f | xargs -n 1 printf '%s\\0'")).toEqual(expected);
  expect(found("find . -type f | xargs -I {} printf '%s\\0' {}")).toEqual(expected);
});

test("what may become of odd names keeps what else hangs on the files", async () => {
  const command = "find . | xargs sort; cargo --version";
  expect(await verdictOn(command)).toBe("allow");
  const parts = operatorCheck((workspace) => {
    writeFileSync(join(workspace, "a b"), "");
  });
  const { decision } = await judgeCall(parts, { name: "shell", input: { command } });
  expect(decision.units.map(({ unit }) => unit.kind)).toEqual(expect.arrayContaining(["unknown", "runs-code"]));
});

/** One call about which a policy wants to be asked, while a person thinks. */
async function askedAbout(meanwhile: (workspace: string) => void) {
  const rule = '\ncommands:\n  rules:\n    - { id: look-first, ask: "find *", because: "Look first.", match: ["find ."] }\n';
  const about = scene({
    policy: `${policyText()}${rule}`,
    answer: () => {
      if (about.cards.length > 1) return { kind: "refused", scope: "once", by: "ann@test" };
      meanwhile(about.workspace);
      return YES;
    },
  });
  mkdirSync(join(about.workspace, "src"));
  writeFileSync(join(about.workspace, "src/a"), "");
  const { kind } = await about.call("shell", { command: "find src | xargs ls" });
  return { kind, cards: about.cards.map(({ reads }) => reads.join(" ")) };
}

test("a yes counts where the names stay plain", async () => {
  const plain = (workspace: string): void => renameSync(join(workspace, "src/a"), join(workspace, "src/b"));
  expect(await askedAbout(plain)).toEqual({ kind: "executed", cards: [expect.not.stringContaining("…")] });
});

test("a yes is void when a name is no longer plain before it is spent", async () => {
  const odd = (workspace: string): void => renameSync(join(workspace, "src/a"), join(workspace, "src/a b"));
  expect(await askedAbout(odd)).toEqual({ kind: "refused", cards: [expect.not.stringContaining("…"), expect.stringContaining("…")] });
  const gone = (workspace: string): void => rmSync(join(workspace, "src"), { recursive: true });
  expect((await askedAbout(gone)).cards).toHaveLength(2);
});

test("an allowed call does not run when a name is no longer plain", async () => {
  const { session, workspace, call } = scene();
  mkdirSync(join(workspace, "src"));
  writeFileSync(join(workspace, "src/a"), "");
  expect((await call("shell", { command: "find src | xargs ls" })).kind).toBe("executed");
  const names = session.names.bind(session);
  // Once it is judged by the names, another one comes.
  Object.assign(session, {
    names: async (directory: string) => {
      const found = await names(directory);
      writeFileSync(join(workspace, "src/a b"), "");
      return found;
    },
  });
  const { kind, result } = await call("shell", { command: "find src | xargs ls" });
  expect([kind, JSON.stringify(result)]).toEqual(["denied", expect.stringContaining("are no longer all plain")]);
  expect(session.performed).toHaveLength(1);
});

test("a rule about other words does not speak where the names are plain", async () => {
  const rule = '\ncommands:\n  rules:\n    - { id: no-etc, deny: "ls /etc/*", because: "Not there.", match: ["ls /etc/a"] }\n';
  const { workspace, call } = scene({ policy: `${policyText()}${rule}` });
  mkdirSync(join(workspace, "src"));
  expect((await call("shell", { command: "find src | xargs ls" })).kind).toBe("executed");
  writeFileSync(join(workspace, "src/a b"), "");
  expect((await call("shell", { command: "find src | xargs ls" })).kind).toBe("denied");
});
