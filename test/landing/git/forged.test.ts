import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const MAKE = "git init -q; echo a > a; echo b > b; git add .; git commit -qm one";
const ID_BYTES = 20;

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

const sha1 = (bytes: Buffer): Buffer => createHash("sha1").update(bytes).digest();
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const extension = (name: string, content: Buffer): Buffer => Buffer.concat([Buffer.from(name), number(content.length), content]);

/** What stands between the head and the extensions of an index. */
function entriesOf(file: string): { readonly head: Buffer; readonly entries: Buffer } {
  const bytes = readFileSync(file);
  const found = ["TREE", "EOIE", "IEOT"].map((name) => bytes.indexOf(name)).filter((at) => at > 0);
  return { head: bytes.subarray(0, 12), entries: bytes.subarray(12, Math.min(bytes.length - ID_BYTES, ...found)) };
}

/** The shown entries where entries lie, and the hidden ones in an extension, to which a table for readers with several threads leads. */
function forgedIndex(shown: { head: Buffer; entries: Buffer }, hidden: { entries: Buffer }): Buffer {
  const end = shown.head.length + shown.entries.length;
  const payload = extension("ZZZZ", hidden.entries);
  const table = extension("IEOT", Buffer.concat([number(1), number(end + 8), number(shown.head.readUInt32BE(8))]));
  const headers = Buffer.concat([payload.subarray(0, 8), table.subarray(0, 8)]);
  const last = extension("EOIE", Buffer.concat([number(end), sha1(headers)]));
  const body = Buffer.concat([shown.head, shown.entries, payload, table, last]);
  return Buffer.concat([body, sha1(body)]);
}

describe.runIf(runsRootTests)("an index that says two things", () => {
  test("to readers with several threads other entries: what was shown lands, and it alone", async () => {
    here = await gitWorkspace(MAKE);
    const file = join(here.view, ".git/index");
    here.inRun("echo evil > a; git add a; git rm -q --cached b; echo evil > c; git add c");
    const hidden = entriesOf(file);
    here.inRun("git read-tree HEAD; echo shown > a; git add a");
    writeFileSync(file, forgedIndex(entriesOf(file), hidden));
    const staged = (threads: number): string => here.inRun(`git -c index.threads=${String(threads)} ls-files -s`);
    // The forgery works: git itself is led there.
    expect(staged(4)).toContain("\tc\n");
    const wanted = staged(1);
    expect(wanted).not.toContain("\tc\n");
    const review = await here.review();
    const notes = (await review.flagged()).flatMap(({ refs = [] }) => refs);
    expect(notes.map(({ files }) => files)).toEqual([["M a"]]);
    expect(reasonsOf(await review.apply({ mayWrite: () => null }))).toEqual([]);
    await review.close();
    expect(here.onHost("git -c index.threads=4 ls-files -s")).toBe(wanted);
    expect(here.onHost("git commit -qm next; git ls-tree --name-only HEAD; git show HEAD:a")).toBe("a\nb\nshown\n");
  });

  test("of trees that it remembers and of entries: the entries are shown, and land", async () => {
    here = await gitWorkspace(`${MAKE}; mkdir d; cp a d; git add d; git commit -qm two`);
    const file = join(here.view, ".git/index");
    // Its trees are those of HEAD, and its entries others. git believes a tree of a directory where it compares.
    const { head, entries } = (() => {
      here.inRun("echo evil > d/a; git add d/a");
      return entriesOf(file);
    })();
    here.inRun("git read-tree HEAD");
    const honest = readFileSync(file);
    const trees = honest.subarray(honest.indexOf("TREE"), honest.length - ID_BYTES);
    const body = Buffer.concat([head, entries, trees]);
    writeFileSync(file, Buffer.concat([body, sha1(body)]));
    expect(here.inRun("git write-tree")).toBe(here.inRun("git rev-parse HEAD^{tree}"));
    const review = await here.review();
    expect((await review.flagged()).flatMap(({ refs = [] }) => refs.map(({ files }) => files))).toEqual([["M d/a"]]);
    await review.apply({ mayWrite: () => null });
    await review.close();
    expect(here.onHost("git commit -qm next; git show HEAD:d/a")).toBe("evil\n");
  });

  test("that a file is meant to be added, and is empty: nothing of it is staged", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("echo n > n; git add -N n; : > empty; git add empty; echo s > s; git add s");
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git diff --cached --name-only; git commit -qm next; git status --porcelain")).toBe("empty\ns\n?? n\n");
  });
});
