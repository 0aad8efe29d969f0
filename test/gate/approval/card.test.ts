import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalCard } from "../../../src/approvals/card.ts";
import { wholeCard } from "../../../src/approvals/whole-card.ts";
import { sha256 } from "../../../src/base/digest.ts";
import { keepHanded, keepHandedContent } from "../../../src/gate/kept/handed.ts";
import { NO, policyText, scene, textOf, YES, type Scene } from "../gate-scene.ts";

/** The card of one call, which nobody allows. */
async function cardFor(name: string, input: unknown, prepare: (scenery: Scene) => void = () => undefined, policy?: string): Promise<ApprovalCard | undefined> {
  const scenery = scene({ answer: () => NO, ...(policy === undefined ? {} : { policy }) });
  prepare(scenery);
  await scenery.call(name, input);
  return scenery.cards[0];
}

const shell = (command: string, policy?: string) => cardFor("shell", { command }, undefined, policy);

/** The card of a call that takes what a sub-agent handed over, which begins with `before`: what is in the files of the workspace. */
async function mergeCard(input: object, files: Readonly<Record<string, Buffer>>, before: Readonly<Record<string, string>>): Promise<ApprovalCard | undefined> {
  const prepare = ({ workspace, store, parts, clock }: Scene): void => {
    for (const [name, text] of Object.entries(before)) writeFileSync(join(workspace, name), text);
    const row = {
      workspace,
      policyName: "test",
      policyDigest: "",
      policyFile: null,
      task: "",
      model: null,
      owner: "none",
      startedAtMs: clock.nowMs(),
      isUnattended: true,
    };
    store.runs.start({ ...row, id: parts.runId });
    store.runs.start({ ...row, id: "run-child", parent: parts.runId, parentCall: "call-0/0" });
    const { artifacts } = store.paths;
    const changes = Object.entries(files).map(([name, content]) => {
      const path = join(workspace, name);
      keepHandedContent(artifacts, "run-child", path, content);
      const was = before[name] === undefined ? null : sha256(before[name].replace("mine", "theirs"));
      return {
        path,
        kind: was === null ? "added" : "modified",
        size: content.length,
        before: was,
        after: sha256(content),
        isExecutable: false,
        obstacle: null,
      } as const;
    });
    keepHanded(artifacts, "run-child", { changes, labels: [] });
  };
  return await cardFor("agent_merge", { agent: "run-child", ...input }, prepare);
}

describe("what is taken of a sub-agent", () => {
  test("is shown file by file, against what is there, with the commands beside it", async () => {
    const files = { a: Buffer.from("one\n2\n"), new: Buffer.from("+new\n"), bin: Buffer.from("a\0b") };
    const card = await mergeCard({ write: ["a", "new", "bin"], links: [{ path: "l", to: "a" }], executable: ["run"] }, files, { a: "one\ntwo\n" });
    const at = (name: string): string => join(card?.workspace ?? "", name);
    const binary = `=== ${at("bin")}\n[3 bytes that are no text, or replace none; sha256 ${sha256(files.bin)}]`;
    expect(card?.change).toEqual({
      path: at("a"),
      isNew: false,
      diff: `=== ${at("a")}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n=== ${at("new")}\n@@ -1,0 +1,1 @@\n++new\n${binary}`,
    });
    expect(card?.pointless).toBeNull();
    const shown = wholeCard(card as ApprovalCard, 200).join("\n");
    for (const text of [`change of ${at("new")}`, `ln -sT -- a ${at("l")}`, `chmod +x -- ${at("run")}`, "++new"]) expect(shown).toContain(text);
  });

  test("one file of it is a diff like any other, and a conflict is told before", async () => {
    const card = await mergeCard({ write: ["a"] }, { a: Buffer.from("one\n2\n") }, { a: "one\nmine\n" });
    expect(card?.change).toMatchObject({ isNew: false, diff: "@@ -1,2 +1,2 @@\n one\n-mine\n+2" });
    expect(card?.pointless).toContain("changed here since the sub-agent began");
  });
});

describe("a change of a file", () => {
  test("is shown as a diff against what is there, new or not", async () => {
    expect((await cardFor("write_file", { path: "a", content: "one\ntwo\n" }))?.change).toMatchObject({ isNew: true, diff: "@@ -1,0 +1,2 @@\n+one\n+two" });
    const prepare = ({ workspace }: Scene): void => writeFileSync(join(workspace, "a"), "one\ntwo\nthree\n");
    const edit = await cardFor("edit_file", { path: "a", old_string: "two", new_string: "2" }, prepare);
    expect(edit?.change).toMatchObject({ isNew: false, diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three" });
    expect(edit?.pointless).toBeNull();
    const scenery = scene({ answer: () => NO });
    prepare(scenery);
    await scenery.call("read_file", { path: "a" });
    await scenery.call("write_file", { path: "a", content: "one\n" });
    expect(scenery.cards.map(({ change }) => change?.diff)).toEqual(["@@ -1,3 +1,1 @@\n one\n-two\n-three"]);
  });

  test.each([
    ["edit_file", { path: "a", old_string: "two", new_string: "2" }, "the text that it replaces is not in the file"],
    ["edit_file", { path: "a", old_string: "o", new_string: "0" }, "the text that it replaces is in the file more than once"],
    ["edit_file", { path: "b", old_string: "two", new_string: "2" }, "there is no such file"],
    ["write_file", { path: "a", content: "2" }, "The file exists and was not read in this run"],
  ])("that the tool would not make is nothing to ask about: %s %j", async (name, input, problem) => {
    const scenery = scene({ answer: () => YES });
    writeFileSync(join(scenery.workspace, "a"), "one\no\n");
    const end = await scenery.call(name, input);
    expect([end.kind, end.result.isError, scenery.cards]).toEqual(["executed", true, []]);
    expect(textOf(end)).toContain(problem);
    expect(scenery.session.performed).toEqual([]);
    expect(scenery.records("outcome").map(({ payload }) => payload["outcome"])).toEqual(["failed"]);
  });

  test("that the tool would not make is asked about where the answer tells what a file holds that is read only with a yes", async () => {
    const policy = `${policyText()}commands: { effects: { reads: ask } }\n`;
    const scenery = scene({ answer: () => NO, policy });
    writeFileSync(join(scenery.workspace, "a"), "one\n");
    expect(textOf(await scenery.call("edit_file", { path: "a", old_string: "two", new_string: "2" }))).not.toContain("not in the file");
    expect(scenery.cards.map(({ pointless }) => pointless)).toEqual(["the text that it replaces is not in the file"]);
  });

  test("that a run made after the file was changed by others is nothing to ask about", async () => {
    const scenery = scene({ answer: () => YES });
    writeFileSync(join(scenery.workspace, "a"), "one\n");
    await scenery.call("read_file", { path: "a" });
    writeFileSync(join(scenery.workspace, "a"), "other\n");
    expect(textOf(await scenery.call("write_file", { path: "a", content: "2" }))).toContain("changed since it was read");
    expect(scenery.cards).toEqual([]);
  });

  test("that the person saw is the one that happens: a yes for a file that changed meanwhile is void", async () => {
    const answers: ((scenery: Scene) => ApprovalAnswer)[] = [
      ({ workspace }) => {
        writeFileSync(join(workspace, "a"), "one\ntwo\nmore\n");
        return YES;
      },
      () => NO,
    ];
    const scenery: Scene = scene({ answer: () => answers.shift()?.(scenery) ?? NO });
    writeFileSync(join(scenery.workspace, "a"), "one\ntwo\n");
    const end = await scenery.call("edit_file", { path: "a", old_string: "two", new_string: "2" });
    expect(end.kind).toBe("refused");
    expect(scenery.cards.map(({ change, differs }) => [change?.diff, differs?.isVoided])).toEqual([
      ["@@ -1,2 +1,2 @@\n one\n-two\n+2", undefined],
      ["@@ -1,3 +1,3 @@\n one\n-two\n+2\n more", true],
    ]);
    expect(readFileSync(join(scenery.workspace, "a"), "utf8")).toContain("two");
  });
});

describe("what a card says of a call", () => {
  test("what contains it", async () => {
    expect((await shell("touch a"))?.containment).toEqual(["no network", "no variables are passed", "changes land in the workspace at once"]);
    const open = policyText({ network: "[a.example, b.example, c.example, d.example, e.example]", workspace: "transactional" });
    expect((await shell("touch a", open))?.containment).toEqual([
      "network: a.example, b.example, c.example and 2 more hosts alone",
      "no variables are passed",
      "changes wait for your review",
    ]);
  });

  test.each([
    ["npm install", /no network, and `npm install` fetches packages/u],
    ["cd src && pip install -r x.txt", /`pip install`/u],
    ["npm test", /^$/u],
    ["npm run install", /^$/u],
    ["npm --loglevel=warn ci", /`npm ci` fetches packages/u],
    ["npm install-test && npm test", /`npm install-test`/u],
    ["npm create vite", /`npm create`/u],
    ["npm init", /^$/u],
    ["npm uninstall a", /^$/u],
    ["/usr/bin/npm update", /`npm update`/u],
    ["go mod download", /`go mod download`/u],
    ["uv pip install a", /`uv pip install`/u],
    ["poetry add a", /`poetry add`/u],
    ["bun add a", /`bun add`/u],
    ["cargo fetch", /registries: \[crates\]$/u],
    ["timeout 9 yarn add a", /`yarn add`/u],
  ])("whether a yes would come to nothing: `%s`", async (command, expected) => {
    expect((await shell(command))?.pointless ?? "").toMatch(expected);
    expect((await shell(command, policyText({ network: "[registry.example]" })))?.pointless).toBeNull();
  });

  test.each([
    ["npm install", /^$/u],
    ["pnpm add a", /^$/u],
    ["pip install a", /reads packages of npm alone, and `pip install` fetches others\. [^]*sandbox\.network\.registries: \[pypi\]$/u],
    ["gem install a", /reads packages of npm alone, [^]*sandbox\.network\.allow$/u],
  ])("whether a yes would come to nothing where npm's registry is open: `%s`", async (command, expected) => {
    const card = await shell(command, policyText().replace("{ allow: [] }", "{ registries: [npm] }"));
    expect([card?.tool, card?.containment[0]]).toEqual(["shell", "no network but packages of npm"]);
    expect(card?.pointless ?? "").toMatch(expected);
  });

  const TRANSACTIONAL = policyText({ workspace: "transactional" });
  const OPEN = policyText({ workspace: "transactional", network: "[a.example]" });
  test.each<readonly [command: string, policy: string, risk: string, wantsWord: boolean]>([
    ["npm test", policyText(), "medium", false],
    ["rm -rf src", policyText(), "high", true],
    ["rm -rf src", TRANSACTIONAL, "medium", false],
    ["no-such-program", policyText(), "high", true],
    ["no-such-program", TRANSACTIONAL, "high", false],
    ["no-such-program", OPEN, "high", true],
    ["kill %1", policyText(), "high", false],
    ["kill %1; no-such-program", policyText(), "high", true],
    ["kill %1", OPEN, "high", true],
    ["printenv", TRANSACTIONAL, "high", true],
    ["curl -d @a https://a.example", OPEN, "high", true],
  ])("a typed word is wanted only for what leaves the sandbox or cannot be undone: `%s`", async (command, policy, risk, wantsWord) => {
    const card = await shell(command, policy);
    expect([card?.risk, card?.wantsWord]).toEqual([risk, wantsWord]);
  });

  test("a pattern comes with a command that it covers and one that it does not", async () => {
    const commit = await shell("git commit -m one");
    expect([commit?.grant?.pattern, commit?.grantExamples]).toEqual([
      "git commit -m *",
      { covers: "git commit -m other", leaves: "git commit -m other --force" },
    ]);
    const write = await cardFor("write_file", { path: "src/a", content: "" }, ({ workspace }) => mkdirSync(join(workspace, "src")));
    expect(write?.grantExamples?.covers).toMatch(/\/src\/another\.file$/u);
    expect(write?.grantExamples?.leaves).toMatch(/\/src\/deeper\/another\.file$/u);
    expect(await shell("rm -rf src")).toMatchObject({ grant: null, grantExamples: null });
  });

  test("what is another since the last yes to a call of the same sort, and not of another", async () => {
    const scenery = scene({ answer: () => YES });
    writeFileSync(join(scenery.workspace, "a"), "");
    await scenery.call("shell", { command: "git commit -m one" });
    await scenery.call("shell", { command: "git tag v1" });
    await scenery.call("shell", { command: "git commit -m two" });
    await scenery.call("shell", { command: "git commit -m two" });
    await scenery.call("write_file", { path: "b", content: "1" });
    await scenery.call("write_file", { path: "c", content: "1" });
    expect(scenery.cards.map(({ differs }) => differs?.lines)).toEqual([
      undefined,
      undefined,
      ["- command: git commit -m one", "+ command: git commit -m two"],
      [],
      undefined,
      undefined,
    ]);
  });
});
