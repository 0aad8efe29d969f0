import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand, type CheckParts } from "../../../src/gate/check.ts";
import { readIndex } from "../../../src/gate/facts/git-index.ts";
import { sessionFacts } from "../../../src/gate/facts/fact-source.ts";
import { hostFacts } from "../../../src/gate/facts/host-facts.ts";
import { type Place, trackedBelow } from "../../../src/gate/facts/git-tracked-names.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { scene } from "../gate-scene.ts";
import { operatorCheck } from "./operator-check.ts";

const PLAIN = ["a.ts", "src/b.ts", "src/@x/-c.ts", "src/deep/file with an index of its own".replaceAll(" ", "_")];

function git(directory: string, ...words: readonly string[]): string {
  return execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Adds files, and takes some of them from the disk again. */
function fill(directory: string, names: readonly string[], gone: readonly string[] = []): void {
  for (const name of [...names, ...gone]) {
    mkdirSync(join(directory, dirname(name)), { recursive: true });
    writeFileSync(join(directory, name), "foo\n");
  }
  git(directory, "add", "-A");
  for (const name of gone) rmSync(join(directory, name));
}

/** A question to the policy `operator` in a repository whose index holds these names. */
function repositoryWith(change: (workspace: string) => void): CheckParts {
  return operatorCheck((workspace) => {
    git(workspace, "init", "-q");
    fill(workspace, PLAIN);
    change(workspace);
  });
}

async function verdictOn(command: string, change: (workspace: string) => void = () => undefined): Promise<string> {
  return (await checkCommand(repositoryWith(change), command)).decision;
}

const withDigest = (bytes: Buffer): Buffer => Buffer.concat([bytes, createHash("sha1").update(bytes).digest()]);

function namesInIndex(bytes: Buffer): readonly string[] | null {
  const index = readIndex(bytes, 20);
  return typeof index === "string" ? null : index.entries.map(({ path }) => path);
}

const LISTS = [
  "git ls-files | xargs wc -l",
  "git ls-files '*.ts' src | grep -v deep | xargs grep -n foo",
  "git ls-files -m | head -3 | xargs cat",
  "git diff --name-only | xargs wc -l",
  "git diff --name-only --diff-filter=AM -- src | sort | xargs cat",
  "git grep -l foo | xargs wc -l",
  "git grep -lw -e foo -- src '*.ts' | xargs sed -n 1,5p",
  "wc -l $(git ls-files '*.ts' | head -20)",
];

test.each(LISTS)("`%s` reads what is in the index where every name is plain", async (command) => {
  expect(await verdictOn(command)).toBe("allow");
  expect(await verdictOn(command, (workspace) => rmSync(join(workspace, ".git"), { recursive: true }))).toBe("allow");
});

test.each(["a /etc/passwd.ts", "-f", "a=b", "@x", "é", "it's", "src/n\nl"])("`%s` in the index, and not on the disk, makes it a question", async (name) => {
  const parts = repositoryWith((workspace) => fill(workspace, [], [name]));
  for (const command of LISTS) expect([command, (await checkCommand(parts, command)).decision]).toEqual([command, "ask"]);
});

test("from a directory below, its names and those from the top count", async () => {
  expect(await verdictOn("cd src && git ls-files | xargs cat")).toBe("ask");
  expect(await verdictOn("cd src/deep && git ls-files | xargs cat")).toBe("allow");
  expect(await verdictOn("cd src/deep && git diff --name-only | xargs cat", (workspace) => fill(workspace, ["-f"]))).toBe("ask");
});

test.each<[string, (workspace: string) => void]>([
  [
    "a `.git` that names another directory",
    (workspace) => {
      rmSync(join(workspace, ".git"), { recursive: true });
      writeFileSync(join(workspace, ".git"), "gitdir: ../elsewhere\n");
    },
  ],
  [
    "a link to a repository",
    (workspace) => {
      renameSync(join(workspace, ".git"), join(workspace, "elsewhere"));
      symlinkSync("elsewhere", join(workspace, ".git"));
    },
  ],
  ["a `.git` that is no repository", (workspace) => rmSync(join(workspace, ".git/HEAD"))],
  ["a `.git` with a HEAD that git takes for none", (workspace) => writeFileSync(join(workspace, ".git/HEAD"), "main\n")],
  ["a `.git` whose objects lie elsewhere", (workspace) => writeFileSync(join(workspace, ".git/commondir"), "../elsewhere\n")],
  ["what may be a repository itself", (workspace) => writeFileSync(join(workspace, "HEAD"), "ref: refs/heads/main\n")],
  [
    "a damaged index",
    (workspace) => {
      const index = readFileSync(join(workspace, ".git/index"));
      index[80] = (index[80] ?? 0) ^ 1;
      writeFileSync(join(workspace, ".git/index"), index);
    },
  ],
  ["an index of which a part lies elsewhere", (workspace) => void git(workspace, "update-index", "--split-index")],
  [
    "an index that holds directories in the place of files",
    (workspace) => {
      git(workspace, "commit", "-qm", "a");
      git(workspace, "sparse-checkout", "init", "--cone", "--sparse-index");
    },
  ],
  [
    "a repository with other digests",
    (workspace) => {
      rmSync(join(workspace, ".git"), { recursive: true });
      git(workspace, "init", "-q", "--object-format=sha256");
      git(workspace, "add", "-A");
    },
  ],
  ["no index", (workspace) => rmSync(join(workspace, ".git/index"))],
])("%s makes it a question", async (_what, change) => {
  expect(await verdictOn("git ls-files | xargs wc -l", change)).toBe("ask");
});

test.each([
  ["git ls-files -o | xargs cat", "names that no index holds"],
  ["git ls-files -s | xargs cat", "more than names"],
  ["git ls-files -z | xargs -0 cat", "names that end with a zero byte"],
  ["git ls-files ../x | xargs cat", "what lies above"],
  ["git ls-files :/x | xargs cat", "what lies above"],
  ["git ls-files ':(top)x' | xargs cat", "what lies above"],
  ["git -C src ls-files | xargs cat", "another directory"],
  ["git diff --name-only HEAD | xargs cat", "names in a commit"],
  ["git diff --name-only --cached | xargs cat", "names in a commit"],
  ["git diff --name-only HEAD -- src | xargs cat", "names in a commit"],
  ["git diff --name-status | xargs cat", "more than names"],
  ["git grep -l foo HEAD | xargs cat", "names in a commit"],
  ["git grep -l foo HEAD -- src | xargs cat", "names in a commit"],
  ["git grep -l foo -- ../x | xargs cat", "what lies above"],
  ["git grep --no-index -l foo | xargs cat", "names that no index holds"],
  ["git grep -l --untracked foo | xargs cat", "names that no index holds"],
  ["git grep foo | xargs cat", "the lines themselves"],
  ["git diff --name-only -- b a | xargs cat", "two paths, of which git may show how they differ"],
  ["git -c core.bare=true ls-files | xargs cat", "an option of another place"],
  ["GIT_INDEX_FILE=x git ls-files | xargs cat", "another index"],
  ["git ls-files | xargs git log", "a program that takes names for more than files"],
  ["for f in $(git ls-files); do cat $f; done", "names that nothing stands before"],
])("`%s` is asked about: %s", async (command) => {
  expect(["ask", "deny"]).toContain(await verdictOn(command));
});

test("in a sandbox the session reads the index, where it can be read at once", async () => {
  const { workspace, session } = scene();
  git(workspace, "init", "-q");
  fill(workspace, PLAIN);
  const facts = sessionFacts(session);
  expect(await facts.tracked(join(workspace, "src/deep"))).toEqual([...PLAIN.toSorted(), "file_with_an_index_of_its_own"]);
  const index = join(workspace, ".git/index");
  const extension = Buffer.from("TREE\0\0\0\0");
  const bytes = readFileSync(index).subarray(0, -20);
  extension.writeUInt32BE(10 * 1024 * 1024 - bytes.length - 28, 4);
  const rest = Buffer.alloc(extension.readUInt32BE(4));
  for (const [more, count] of [
    [0, PLAIN.length],
    [1, null],
  ] as const) {
    extension.writeUInt32BE(rest.length + more, 4);
    writeFileSync(index, withDigest(Buffer.concat([bytes, extension, rest, Buffer.alloc(more)])));
    expect((await facts.tracked(workspace))?.length ?? null).toBe(count);
  }
});

test.each(["../canary", "src/../../x", "/etc/passwd", "a//b", "./a", "sub/.git/config", "a/.GIT/x"])(
  "no index with `%s` in it is read: git would take it for what it says",
  (name) => {
    const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8);
    entry.writeUInt32BE(0o100644, 24);
    entry.writeUInt16BE(name.length, 60);
    entry.write(name, 62, "latin1");
    const header = Buffer.from("DIRC\0\0\0\u0002\0\0\0\u0001", "latin1");
    const index = (text: Buffer): Buffer => withDigest(Buffer.concat([header, text]));
    expect(namesInIndex(index(entry))).toBeNull();
    entry.fill("a", 62, 62 + name.length);
    expect(namesInIndex(index(entry))).toEqual(["a".repeat(name.length)]);
  },
);

test.each(["link", "sdir", "UNTR", "XYZW"])("no index with the extension `%s` is read: what it means for the names, this reader does not know", (extension) => {
  const index = (name: string): Buffer => withDigest(Buffer.from(`DIRC\0\0\0\u0002\0\0\0\0${name}\0\0\0\0`, "latin1"));
  expect(namesInIndex(index("TREE"))).toEqual([]);
  expect(namesInIndex(index(extension))).toBeNull();
});

test("no index with a directory in it is read: it stands for all that is below it", () => {
  const entry = Buffer.alloc(72);
  entry.writeUInt32BE(0o040000, 24);
  entry.writeUInt16BE(3, 60);
  entry.write("src", 62, "latin1");
  const index = (): Buffer => withDigest(Buffer.concat([Buffer.from("DIRC\0\0\0\u0002\0\0\0\u0001", "latin1"), entry]));
  expect(namesInIndex(index())).toBeNull();
  entry.writeUInt32BE(0o100644, 24);
  expect(namesInIndex(index())).toEqual(["src"]);
});

test.each([".git", "HEAD", ".git/objects", ".git/refs", ".git/commondir"])("nothing is known where `%s` could not be measured", async (unmeasured) => {
  const directory = realpathSync(temporaryDirectory());
  git(directory, "init", "-q");
  fill(directory, PLAIN);
  const { resolve } = hostFacts([directory]);
  const place = (error: object): Place => ({
    resolve: async (paths) => (await resolve(paths)).map((fact) => (fact.path === join(directory, unmeasured) ? { ...fact, ...error } : fact)),
    bytes: async (path) => await readFile(path),
  });
  expect(await trackedBelow(place({}), directory)).toHaveLength(PLAIN.length);
  expect(await trackedBelow(place({ error: "it could not be measured (EIO)" }), directory)).toBeNull();
});

test("an index of which a few bytes stand for many is not known", async () => {
  const directory = temporaryDirectory();
  git(directory, "init", "-q");
  // Version 4: a path is told by what differs from the one before.
  const entry = Buffer.alloc(62);
  entry.writeUInt32BE(0o100644, 24);
  const later = Buffer.concat([entry, Buffer.from("\u0001b\0", "latin1")]);
  const index = (count: number): Buffer => {
    const head = Buffer.from("DIRC\0\0\0\u0004\0\0\0\0", "latin1");
    head.writeUInt32BE(count, 8);
    return withDigest(Buffer.concat([head, entry, Buffer.from(`\0${"a".repeat(4096)}\0`, "latin1"), ...Array.from({ length: count - 1 }, () => later)]));
  };
  for (const [count, known] of [
    [4096, 4096],
    [4097, null],
  ] as const) {
    writeFileSync(join(directory, ".git/index"), index(count));
    expect((await hostFacts([directory]).tracked(directory))?.length ?? null).toBe(known);
  }
});

test.each(["2", "3", "4"])("an index of version %s is read as git reads it", async (version) => {
  const directory = temporaryDirectory();
  git(directory, "init", "-q");
  const names = [
    "a",
    "b/c",
    `b/${"long".repeat(60)}/${"name".repeat(55)}`,
    "b/d e",
    "é",
    "-f",
    ...Array.from({ length: 40 }, (_, at) => `src/${"x".repeat(at)}/f`),
  ];
  fill(
    directory,
    names.map((name) => name.replace("//", "/_/")),
  );
  if (version === "3") git(directory, "add", "-N", "a");
  git(directory, "update-index", "--index-version", version);
  if (version === "3") {
    writeFileSync(join(directory, "later"), "");
    git(directory, "add", "-N", "later");
  }
  const index = readFileSync(join(directory, ".git/index"));
  expect(index.readUInt32BE(4)).toBe(Number(version));
  const expected = git(directory, "ls-files", "-z").split("\0").slice(0, -1);
  expect((namesInIndex(index) ?? []).map((name) => Buffer.from(name, "latin1").toString())).toEqual(expected);
  expect(await hostFacts([directory]).tracked(directory)).toHaveLength(expected.length);
  // Whatever is cut off or changed, nothing is thrown, and no name is made up.
  for (let at = 0; at < index.length; at += 7) {
    expect(namesInIndex(index.subarray(0, at))).toBeNull();
    const other = Buffer.from(index);
    other[at] = (other[at] ?? 0) ^ 0x41;
    expect(namesInIndex(other)).toBeNull();
    // The same where the digest fits.
    namesInIndex(withDigest(other.subarray(0, -20)));
  }
});
