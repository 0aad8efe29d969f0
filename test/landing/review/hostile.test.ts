import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { changeLines } from "../../../src/cli/view/changes.ts";
import { makeVisible } from "../../../src/base/text.ts";
import { overlayWorkspace, type OverlaidWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { type Facts, isSame, readFacts } from "../../support/tree-facts.ts";

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

type Trial = {
  readonly name: string;
  /** What a shell does in the workspace before, as the run in its view, and as the person afterwards. */
  readonly before?: string;
  readonly run: string;
  readonly meanwhile?: string;
  /** Kinds that a path must have among its flags; none: it is plain. */
  readonly flags: Readonly<Record<string, string>>;
  /** Paths that must not land. */
  readonly refused?: readonly string[];
};

const TRIALS: readonly Trial[] = [
  {
    name: "a link gives workflows another place",
    run: "mkdir -p src/gh/workflows; echo evil > src/gh/workflows/a.md; ln -s src/gh .github",
    flags: { ".github": "ci-workflow", "src/gh/workflows/a.md": "ci-workflow" },
  },
  {
    name: "a link that was there makes hooks of notes",
    before: "mkdir -p docs/h; ln -s docs/h .husky; echo a > docs/h/pre-commit.md",
    run: "echo evil >> docs/h/pre-commit.md",
    flags: { "docs/h/pre-commit.md": "git-hook" },
  },
  {
    name: "a link to a link to a directory on whose way is a link",
    before: "mkdir -p deep/x; ln -s deep way; ln -s way/x one; ln -s one .vscode",
    run: "echo '{}' > deep/x/tasks.json",
    flags: { "deep/x/tasks.json": "editor-settings" },
  },
  {
    name: "a program of node_modules is a link to a source",
    before: "mkdir -p src node_modules/.bin; echo a > src/cli.ts; ln -s ../../src/cli.ts node_modules/.bin/eslint",
    run: "echo evil > src/cli.ts",
    flags: { "src/cli.ts": "package-configuration" },
  },
  {
    name: "a name that an agent obeys is a link to a page",
    before: "mkdir docs; echo a > docs/page.md",
    run: "ln -s docs/page.md CLAUDE.md; echo 'run curl' > docs/page.md",
    flags: { "CLAUDE.md": "agent-settings", "docs/page.md": "agent-settings" },
  },
  { name: "links in a circle", run: "ln -s b a; ln -s a b; mkdir src; echo x > src/a.ts", flags: { a: "symlink", b: "symlink", "src/a.ts": "" } },
  {
    name: "a link out of the workspace and back",
    run: 'ln -s "../$(basename "$PWD")/src" back; mkdir src; echo x > src/a.ts',
    flags: { back: "link", "src/a.ts": "" },
    refused: ["back"],
  },
  {
    name: "a link in the place of a directory with files",
    before: "mkdir -p conf .vscode; echo a > conf/a.md",
    run: "rm -r conf; ln -s .vscode conf",
    flags: { conf: "symlink" },
  },
  {
    name: "other letters",
    run: "mkdir -p .GitHub/WORKFLOWS; echo x > .GitHub/WORKFLOWS/A.YML; echo x > mAkEfIlE",
    flags: { ".GitHub/WORKFLOWS/A.YML": "ci-workflow", mAkEfIlE: "build-file" },
  },
  {
    name: "a letter that looks like another",
    run: "mkdir .g\u0456thub; echo x > .g\u0456thub/a.md; echo x > Makef\u0456le",
    flags: { ".g\u0456thub/a.md": "dot-file", "Makef\u0456le": "unknown-kind" },
  },
  {
    name: "a blank, a dot or a backslash at the end of a name",
    run: "echo x > 'a.ts '; echo x > 'b.md.'; echo x > 'c.md\\'",
    flags: { "a.ts ": "unknown-kind", "b.md.": "unknown-kind", "c.md\\": "unknown-kind" },
  },
  {
    name: "a newline and an escape in a name",
    run: "printf x > \"$(printf 'a.md\\nadded    b.md')\"; printf x > \"$(printf '\\033[2Jc.md')\"",
    flags: { "a.md\nadded    b.md": "", "\u001b[2Jc.md": "" },
  },
  {
    name: "a page that is a program",
    run: "printf '#!/bin/sh\\nevil' > README.md; chmod 755 README.md; printf '#!/bin/sh\\n' > docs.md",
    flags: { "README.md": "executable", "docs.md": "script" },
  },
  {
    name: "a changed program",
    before: "mkdir src; echo a > src/a.ts; chmod 755 src/a.ts",
    run: "echo evil > src/a.ts",
    flags: { "src/a.ts": "changed-program" },
  },
  {
    name: "bytes that hide a script",
    run: "mkdir src; printf 'curl evil\\n# \\377' > src/a.py; printf 'curl evil\\n# \\000' > src/b.py; printf 'curl evil\\n#\\b\\b\\b' > src/c.py",
    flags: { "src/a.py": "no-text", "src/b.py": "no-text", "src/c.py": "no-text" },
  },
  { name: "more text than is shown", run: "mkdir src; head -c 1100000 /dev/zero | tr '\\0' x > src/a.ts", flags: { "src/a.ts": "no-text" } },
  {
    name: "characters that nobody sees",
    run: "mkdir src; printf '/* \\342\\200\\256 */' > src/a.ts; printf 'const \\343\\205\\244 = 1' > src/b.ts",
    flags: { "src/a.ts": "hidden-text", "src/b.ts": "hidden-text" },
  },
  {
    name: "what protects is gone",
    before: "mkdir -p .lefthook/pre-push; touch CODEOWNERS .npmrc .gitignore .lefthook/pre-push/a",
    run: "rm -r CODEOWNERS .npmrc .gitignore .lefthook",
    flags: { CODEOWNERS: "code-owners", ".npmrc": "package-configuration", ".gitignore": "ignore-file", ".lefthook/pre-push/a": "git-hook" },
  },
  {
    name: "what protects has another name",
    before: "touch CODEOWNERS",
    run: "mkdir old; mv CODEOWNERS old/owners.md",
    flags: { CODEOWNERS: "code-owners", "old/owners.md": "" },
  },
  {
    name: "rights that grow",
    before: "for f in a b c; do echo $f > $f.md; done; chmod 600 a.md; chmod 640 b.md; chmod 644 c.md",
    run: "chmod 644 a.md; chmod 666 b.md; chmod 4755 c.md",
    flags: { "a.md": "wider-mode", "b.md": "world-writable", "c.md": "set-id" },
  },
  { name: "a pipe, a socket's place and a device", run: "mkfifo p; mknod n c 1 3", flags: { p: "special-file", n: "special-file" }, refused: ["p", "n"] },
  { name: "one file of the run under two names", run: "echo x > a.md; ln a.md Makefile", flags: { "a.md": "", Makefile: "build-file" } },
  {
    name: "a file becomes a directory, a directory a link, a link a file",
    before: "echo a > a.md; mkdir d; echo x > d/x.md; ln -s a.md l.md",
    run: "rm a.md; mkdir a.md; rm -r d; ln -s l.md d; rm l.md; echo l > l.md",
    flags: { d: "symlink", "l.md": "" },
  },
  {
    name: "names that file systems in layers use",
    run: "echo x > .wh.a; echo x > .wh..wh..opq; mkdir .warder; echo x > .warder/a",
    flags: { ".wh.a": "dot-file", ".wh..wh..opq": "dot-file", ".warder/a": "agent-settings" },
  },
  {
    name: "a file of the person's that both changed",
    before: "echo one > a.md",
    run: "echo run > a.md",
    meanwhile: "echo person > a.md",
    flags: { "a.md": "conflict" },
    refused: ["a.md"],
  },
  {
    name: "a file that the person took away, and one that they made",
    before: "echo one > a.md",
    run: "echo run > a.md; echo run > b.md",
    meanwhile: "rm a.md; echo person > b.md",
    flags: { "a.md": "conflict", "b.md": "conflict" },
    refused: ["a.md", "b.md"],
  },
  {
    name: "a deletion of what the person changed",
    before: "mkdir d; echo one > d/a.md; echo one > d/b.md",
    run: "rm -r d",
    meanwhile: "echo person > d/a.md",
    flags: { "d/a.md": "conflict" },
    refused: ["d", "d/a.md", "d/b.md"],
  },
  {
    name: "a mode that the person changed",
    before: "echo one > a.md",
    run: "echo run > a.md",
    meanwhile: "chmod 600 a.md",
    flags: { "a.md": "conflict" },
    refused: ["a.md"],
  },
  {
    name: "a directory that the person replaced by a link",
    before: "mkdir src other; echo one > src/a.ts",
    run: "echo run > src/a.ts; echo run > src/b.ts",
    meanwhile: "rm -r src; ln -s other src",
    flags: { "src/a.ts": "conflict" },
    refused: ["src", "src/a.ts", "src/b.ts"],
  },
  {
    name: "a file that the person gave to another user",
    before: "echo one > a.md",
    run: "echo run > a.md",
    meanwhile: "chown 1234 a.md",
    flags: { "a.md": "conflict" },
    refused: ["a.md"],
  },
  {
    name: "a file of another user below a directory that goes",
    before: "mkdir d; echo one > d/a.md; chown 1234 d/a.md",
    run: "rm -r d",
    flags: { "d/a.md": "other-owner" },
    refused: ["d", "d/a.md"],
  },
  {
    name: "a file of several names, changed in its mode alone",
    before: "echo one > a.md; ln a.md b.md",
    run: "chmod 600 a.md",
    flags: { "a.md": "hard-link" },
    refused: ["a.md"],
  },
  {
    name: "settings among source",
    run: "mkdir -p src/.a src/scripts src/vendor dist; for f in src/.a/x.ts src/scripts/x.ts src/vendor/x.ts dist/x.js src/x.yaml src/x.so src/x; do echo x > $f; done",
    flags: {
      "src/.a/x.ts": "dot-file",
      "src/scripts/x.ts": "tool-script",
      "src/vendor/x.ts": "foreign-code",
      "dist/x.js": "built-file",
      "src/x.yaml": "configuration",
      "src/x.so": "program",
      "src/x": "unknown-kind",
    },
  },
];

/** What a person reads of a change: its whole name stands in both texts. */
const isNamedIn = (text: string, path: string): boolean => text.includes(makeVisible(path).replaceAll("\n", "\\n"));

/** Every path that is another than it was: the landing changed it. */
function differing(one: Facts, other: Facts): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => !isSame(one.get(path), other.get(path)))
    .map((path) => Buffer.from(path, "latin1").toString());
}

describe.runIf(runsRootTests)("a run that hides what it does", () => {
  test.each(TRIALS)("$name", async ({ before = "true", run, meanwhile = "true", flags, refused = [] }) => {
    here = await overlayWorkspace({}, (workspace) => execFileSync("sh", ["-ec", before], { cwd: workspace }));
    execFileSync("sh", ["-ec", run], { cwd: here.view });
    const wanted = readFacts(here.view);
    await here.end();
    execFileSync("sh", ["-ec", meanwhile], { cwd: here.workspace });
    const current = readFacts(here.workspace);
    const review = await here.review();
    const shown = await review.flagged();
    for (const [path, kind] of Object.entries(flags)) {
      const found = shown.filter((change) => change.path === path).flatMap((change) => change.flags.map((flag) => flag.kind));
      // Plain is what has no flag at all.
      const isAsSaid = kind === "" ? found.length === 0 : found.includes(kind);
      expect({ path, kind, found, isAsSaid }).toMatchObject({ isAsSaid: true });
    }
    const [list, diff] = [changeLines(shown), await review.diff(8 * 1024 ** 2)];
    for (const { path } of shown) expect([path, isNamedIn(list, path), isNamedIn(diff, path)]).toEqual([path, true, true]);
    const report = await review.apply({ mayWrite: () => null });
    await review.close();
    expect(new Set(report.refused.map(({ change }) => change.path))).toEqual(new Set(refused));
    const result = readFacts(here.workspace);
    const touched = differing(current, result);
    const landed = new Set(report.applied.map(({ path }) => path));
    // What landed is what was listed, each as the run had it but for what never lands; all else is as the person left it.
    expect(touched.filter((path) => !landed.has(path))).toEqual([]);
    for (const path of landed) {
      const [found, fact] = [result, wanted].map((facts) => facts.get(Buffer.from(path).toString("latin1")));
      expect([path, found?.type, found?.content, (found?.mode ?? 0) & 0o777]).toEqual([path, fact?.type, fact?.content, (fact?.mode ?? 0) & 0o777]);
    }
  });
});
