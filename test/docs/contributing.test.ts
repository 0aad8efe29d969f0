import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CopiedTree } from "../../toolbox/controls/copied-tree.ts";
import { anyOf } from "../../toolbox/controls/file-run.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** What a page of docs/contributing has a reader do: apply diffs, and run tests by file and title. */
type Page = {
  readonly file: string;
  /** Of tests alone. */
  readonly testDiffs: readonly string[];
  readonly sourceDiffs: readonly string[];
  readonly tests: readonly { readonly file: string; readonly title: string }[];
};

function readPage(file: string): Page {
  const text = readFileSync(join(checkout, file), "utf8");
  const diffs = [...text.matchAll(/^```diff\n([\s\S]*?)^```$/gmu)].map(([, diff = ""]) => diff);
  const isOfTests = (diff: string): boolean => [...diff.matchAll(/^\+\+\+ b\/(.*)$/gmu)].every(([, path = ""]) => path.startsWith("test/"));
  return {
    file,
    testDiffs: diffs.filter(isOfTests),
    sourceDiffs: diffs.filter((diff) => !isOfTests(diff)),
    tests: [...text.matchAll(/^npm test -- (\S+) -t '([^']+)'$/gmu)].map(([, path = "", title = ""]) => ({ file: path, title })),
  };
}

const pages = globSync("docs/contributing/*.md", { cwd: checkout }).toSorted().map(readPage);

function apply(tree: CopiedTree, diffs: readonly string[]): void {
  // The copy is no repository, and lies in none: git would look for the paths there.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(tree.root) };
  for (const diff of diffs) execFileSync("git", ["apply", "-"], { cwd: tree.root, env, input: diff, stdio: ["pipe", "pipe", "pipe"] });
}

type Report = {
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[] }[];
};

/** Runs the tests that all pages name, at once, and gives what became of those of a page, each as `passed` or `failed`. */
function runTests(tree: CopiedTree): (page: Page) => readonly string[] {
  const named = pages.flatMap(({ tests }) => tests);
  const files = [...new Set(named.map(({ file }) => file))];
  const argv = ["node_modules/vitest/vitest.mjs", "run", ...files, "-t", anyOf(named.map(({ title }) => title)), "--reporter=json", "--outputFile=report.json"];
  spawnSync(process.execPath, argv, { cwd: tree.root, stdio: "ignore" });
  const { testResults } = JSON.parse(readFileSync(join(tree.root, "report.json"), "utf8")) as Report;
  return (page) =>
    page.tests.flatMap(({ file, title }) =>
      testResults
        .filter(({ name }) => relative(tree.root, name) === file)
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ fullName, status }) => status !== "skipped" && new RegExp(title, "u").test(fullName))
        .map(({ status }) => status),
    );
}

describe("the pages for contributors", () => {
  const folder = mkdtempSync(join(tmpdir(), "warder-contributing-"));
  let before: (page: Page) => readonly string[];
  let after: (page: Page) => readonly string[];
  beforeAll(() => {
    const tree = CopiedTree.ofCheckout(checkout, join(folder, "tree"));
    for (const { testDiffs } of pages) apply(tree, testDiffs);
    before = runTests(tree);
    for (const { sourceDiffs } of pages) apply(tree, sourceDiffs);
    after = runTests(tree);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("are a program, a tool and a key, each with diffs and named tests", () => {
    expect(pages.map(({ file }) => file)).toEqual(["docs/contributing/policy-key.md", "docs/contributing/program.md", "docs/contributing/tool.md"]);
    for (const { testDiffs, sourceDiffs, tests } of pages) {
      expect(Math.min(testDiffs.length, sourceDiffs.length, tests.length)).toBeGreaterThan(0);
    }
  });

  test.each(pages)("$file: its tests fail without the change, and pass with it", (page) => {
    expect(before(page)).toEqual(page.tests.map(() => "failed"));
    expect(after(page)).toEqual(page.tests.map(() => "passed"));
  });
});
