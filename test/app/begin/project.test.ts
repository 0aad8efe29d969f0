import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { firstPolicyText } from "../../../src/app/begin/first-policy.ts";
import { firstSuiteText } from "../../../src/app/begin/first-suite.ts";
import { PROJECT_KINDS } from "../../../src/app/begin/project-kinds.ts";
import { readProject } from "../../../src/app/begin/project.ts";
import { testPolicy } from "../../../src/app/policy/suite.ts";
import { loadPolicy } from "../../../src/config/policy/load.ts";
import { place } from "../../support/test-place.ts";

type Fixture = {
  readonly files: Readonly<Record<string, string>>;
  readonly kinds: readonly string[];
  readonly tests: readonly string[];
  readonly needsImage: string | null;
};

const SCRIPT = '{ "scripts": { "test": "node --test" } }';
const WITH_DEPENDENCY = '{ "scripts": { "build": "x", "test": "vitest run && echo done" }, "devDependencies": { "vitest": "1" } }';

const FIXTURES: Readonly<Record<string, Fixture>> = {
  npm: { files: { "package.json": SCRIPT }, kinds: ["npm"], tests: ["npm test"], needsImage: null },
  "npm with dependencies": {
    files: { "package.json": WITH_DEPENDENCY, "package-lock.json": "{}" },
    kinds: ["npm"],
    tests: ["npm test"],
    needsImage: "npm",
  },
  "npm without tests": { files: { "package.json": '{ "scripts": { "build": "tsc" } }' }, kinds: ["npm"], tests: [], needsImage: null },
  pnpm: {
    files: { "package.json": SCRIPT, "pnpm-lock.yaml": "" },
    kinds: ["pnpm"],
    tests: ["pnpm test"],
    needsImage: "pnpm",
  },
  yarn: { files: { "package.json": SCRIPT, "yarn.lock": "" }, kinds: ["yarn"], tests: ["yarn test"], needsImage: "yarn" },
  python: { files: { "pyproject.toml": "", "requirements.txt": "pytest\n" }, kinds: ["python"], tests: ["python3 -m pytest"], needsImage: "python" },
  "python with the tests of its own library": {
    files: { "pyproject.toml": '[project]\nname = "x"\n', "tests/test_x.py": "import unittest\n" },
    kinds: ["python"],
    tests: ["python3 -m unittest discover -s tests"],
    needsImage: null,
  },
  "python with such tests beside its modules, and a dependency": {
    files: { "pyproject.toml": '[project]\ndependencies = [\n  "requests",\n]\n', "test_x.py": "from unittest import TestCase\n" },
    kinds: ["python"],
    tests: ["python3 -m unittest"],
    needsImage: "python",
  },
  "python with such tests that pytest runs": {
    files: { "setup.cfg": "[tool:pytest]\n", "tests/test_x.py": "import unittest\n" },
    kinds: ["python"],
    tests: ["python3 -m pytest"],
    needsImage: "python",
  },
  "python without a word of its tests": { files: { "setup.py": "" }, kinds: ["python"], tests: ["python3 -m pytest"], needsImage: "python" },
  go: { files: { "go.mod": "module x\n", "go.sum": "" }, kinds: ["go"], tests: ["go test ./..."], needsImage: "go" },
  cargo: { files: { "Cargo.toml": "", "Cargo.lock": "" }, kinds: ["cargo"], tests: ["cargo test --offline"], needsImage: "cargo" },
  make: { files: { Makefile: "all:\n\ntest: all\n\ttrue\n" }, kinds: ["make"], tests: ["make test"], needsImage: null },
  "make with another name of the target": { files: { Makefile: "check:\n\ttrue\n" }, kinds: ["make"], tests: ["make check"], needsImage: null },
  "two at once": {
    files: { "package.json": SCRIPT, "go.mod": "" },
    kinds: ["npm", "go"],
    tests: ["npm test", "go test ./..."],
    needsImage: "go",
  },
  nothing: { files: { "README.md": "" }, kinds: [], tests: [], needsImage: null },
};

function project(files: Readonly<Record<string, string>>): string {
  const { workspace } = place();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  return workspace;
}

describe.each(Object.entries(FIXTURES))("a project of %s", (_, { files, kinds, tests, needsImage }) => {
  test("is recognised, with its tests and what the sandbox lacks for it", () => {
    const found = readProject(project(files));
    expect({ ...found, kinds: found.kinds.map(({ name }) => name), needsImage: found.needsImage?.name ?? null }).toMatchObject({
      kinds,
      tests,
      needsImage,
    });
  });

  test.each([true, false])("has a first policy that loads without a warning (transactional: %s), a comment on each line", (isTransactional) => {
    const here = place();
    const text = firstPolicyText({ project: readProject(project(files)), isTransactional, image: null });
    const path = join(here.root, "first.yaml");
    writeFileSync(path, text);
    const { policy, warnings } = loadPolicy(path, { workspace: here.workspace, home: here.home, stateDirectory: here.state });
    expect(warnings).toEqual([]);
    expect(policy.sandbox.workspace).toBe(isTransactional ? "transactional" : "bind");
    const lines = text.trim().split("\n");
    expect(lines.length).toBeLessThanOrEqual(13);
    expect(lines.filter((line) => !/ # \S/u.test(line))).toEqual([]);
  });

  test.each([true, false])(
    "has a first policy that decides as its suite says, and a suite that meets all that it states (transactional: %s)",
    async (isTransactional) => {
      const here = place();
      vi.stubEnv("WARDER_HOME", here.state);
      const found = readProject(project(files));
      const path = join(here.root, "first.yaml");
      writeFileSync(path, firstPolicyText({ project: found, isTransactional, image: null }));
      writeFileSync(join(here.root, "first.test.yaml"), firstSuiteText({ project: found, isTransactional }));
      const { cases, rules, effects } = await testPolicy(path);
      expect(cases.filter(({ isMet }) => !isMet).map(({ test: { wanted }, verdict }) => [wanted.text, verdict.decision, verdict.reason])).toEqual([]);
      expect([cases.length, [...rules, ...effects].filter(({ isMet }) => !isMet)]).toEqual([10 + tests.length, []]);
    },
  );
});

test("the first policy names the registries that install the project's packages, and with them it is still sealed", () => {
  const here = place();
  const found = readProject(project({ "package.json": SCRIPT, "go.mod": "" }));
  const text = firstPolicyText({ project: found, isTransactional: true, image: null });
  expect(text).toContain("`registries: [npm, go]`");
  expect(firstPolicyText({ project: readProject(project({})), isTransactional: true, image: null })).not.toContain("registries");
  const path = join(here.root, "first.yaml");
  writeFileSync(path, text.replace("network: { allow: [] }", "network: { allow: [], registries: [npm, go] }"));
  const { policy, warnings } = loadPolicy(path, { workspace: here.workspace, home: here.home, stateDirectory: here.state });
  expect([policy.sandbox.network.registries?.map(({ name }) => name), warnings]).toEqual([["npm", "go"], []]);
});

test("every kind of the table has a fixture", () => {
  const seen = new Set(Object.values(FIXTURES).flatMap(({ kinds }) => kinds));
  expect(PROJECT_KINDS.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
});

test("names lock files, continuous integration, and what was made on this machine", () => {
  const workspace = project({ "package.json": SCRIPT, "package-lock.json": "{}", ".github/workflows/ci.yml": "", "node_modules/a/index.js": "" });
  expect(readProject(workspace)).toMatchObject({ lockFiles: ["package-lock.json"], ci: [".github/workflows"], filled: ["node_modules"] });
});

test("follows no link out of the project", () => {
  const { workspace, root } = place();
  writeFileSync(join(root, "elsewhere.json"), SCRIPT);
  symlinkSync(join(root, "elsewhere.json"), join(workspace, "package.json"));
  expect(readProject(workspace).tests).toEqual([]);
  mkdirSync(join(root, "elsewhere"));
  writeFileSync(join(root, "elsewhere/test_x.py"), "import unittest\n");
  writeFileSync(join(workspace, "setup.py"), "");
  symlinkSync(join(root, "elsewhere"), join(workspace, "tests"));
  symlinkSync(join(root, "elsewhere/test_x.py"), join(workspace, "test_x.py"));
  expect(readProject(workspace).tests).toEqual(["python3 -m pytest"]);
});
