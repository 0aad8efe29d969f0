import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalCard, GrantPeriod } from "../../../src/approvals/card.ts";
import { listGrants, revokeGrant } from "../../../src/approvals/grant.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import { NO, policyText, scene, YES, type Scene } from "../gate-scene.ts";

const DAY_MS = 86_400_000;
const forever: ApprovalAnswer = { kind: "granted", scope: "pattern", by: "ann@test", period: { kind: "forever" } };

/** Says yes with the pattern where the card offers one, and no to every other question. */
const takesPattern = (card: ApprovalCard): ApprovalAnswer => (card.grant === null ? NO : forever);

const grantsOf = (scenery: Scene) => listGrants({ store: scenery.store, clock: scenery.clock });

/** A repository to commit in, so that `git` is a command of the workspace. */
function sceneWith(answer: (card: ApprovalCard) => ApprovalAnswer, policy?: string): Scene {
  const scenery = scene({ answer, ...(policy === undefined ? {} : { policy }) });
  mkdirSync(join(scenery.workspace, "src"));
  return scenery;
}

describe("a pattern", () => {
  test("of files covers the others in their directory, and nothing below, beside or above it", async () => {
    const scenery = sceneWith(takesPattern);
    expect((await scenery.call("write_file", { path: "src/a.ts", content: "a" })).kind).toBe("executed");
    expect(scenery.cards[0]?.grant).toEqual({
      kind: "path",
      pattern: join(scenery.workspace, "src/*"),
      effects: ["writes"],
      place: join(scenery.workspace, "src"),
    });
    expect((await scenery.call("write_file", { path: "src/b.ts", content: "b" })).kind).toBe("executed");
    expect((await scenery.call("shell", { command: "touch src/c.ts" })).kind).toBe("executed");
    expect(scenery.cards).toHaveLength(1);
    scenery.cards.length = 0;
    for (const path of ["c.ts", "src/deep/d.ts", "src2/e.ts"]) await scenery.call("write_file", { path, content: "" });
    expect(scenery.cards).toHaveLength(3);
    expect(grantsOf(scenery).find((grant) => grant.pattern.endsWith("src/*"))).toMatchObject({ uses: 2, by: "ann@test", state: "standing" });
  });

  test("of a command keeps program, subcommand and options, and leaves only operands open", async () => {
    const scenery = sceneWith(takesPattern);
    await scenery.call("shell", { command: "git commit -m 'first words'" });
    expect(scenery.cards[0]?.grant).toMatchObject({ kind: "command", pattern: "git commit -m *", effects: ["history"], place: scenery.workspace });
    await scenery.call("shell", { command: "git commit -m other" });
    expect(scenery.cards).toHaveLength(1);
    for (const command of ["git commit --amend -m other", "git commit -m other -a", "git tag v1", "X=1 git commit -m other", "cd src && git commit -m other"]) {
      scenery.cards.length = 0;
      await scenery.call("shell", { command });
      expect([command, scenery.cards.length]).toEqual([command, 1]);
    }
  });

  test.each<readonly [first: string, pattern: string, free: string, asked: readonly string[]]>([
    [
      "git branch feat main",
      "git branch * *",
      "git branch other main",
      ["git branch -D keep", "git branch -f feat", "git branch -m keep", "git branch --delete keep", "git branch -- keep"],
    ],
    ["git tag v1 HEAD", "git tag * *", "git tag v2 main", ["git tag -d v1", "git tag -f v1", "git tag -dv v1"]],
    ["git commit -m one", "git commit -m *", "git commit -m two", ["git commit -m --amend", "git commit -m --words", "git commit --amend --no-verify"]],
    [
      "git commit -m one src",
      "git commit -m * *",
      "git commit -m two src",
      ["git commit -m one --amend", "git commit -m one --no-verify", "git commit -m one -n"],
    ],
    ["git add src", "git add *", "git add src", ["git add -A", "git add -u", "git add --pathspec-from-file=/etc/passwd", "git add --chmod=+x", "git add --"]],
    ["git add --chmod=+x src", "git add --chmod=+x *", "git add --chmod=+x src", ["git add --chmod=-x src", "git add -f src", "git add src src"]],
    ["git stash drop one", "git stash drop *", "git stash drop two", ["git stash clear one", "git stash pop one", "git stash drop -q"]],
    ["git reflog delete main", "git reflog delete *", "git reflog delete other", ["git reflog expire main", "git reflog delete --all"]],
  ])("leaves open operands alone: `%s` offers `%s`", async (first, pattern, free, asked) => {
    const scenery = sceneWith((card) => (card.grant?.pattern === pattern ? forever : NO));
    await scenery.call("shell", { command: first });
    expect(scenery.cards.map((card) => card.grant?.pattern)).toEqual([pattern]);
    await scenery.call("shell", { command: free });
    expect(scenery.cards).toHaveLength(1);
    for (const command of asked) {
      scenery.cards.length = 0;
      const end = await scenery.call("shell", { command });
      expect([command, end.kind]).not.toEqual([command, "executed"]);
    }
  });

  test.each<readonly [first: string, asked: readonly string[]]>([
    // Unstaging a file is one thing, moving a branch another.
    ["git reset src", ["git reset HEAD~5", "git reset main"]],
    ["git update-ref refs/heads/mine HEAD", ["git update-ref refs/heads/main HEAD~3"]],
    ["git symbolic-ref HEAD refs/heads/mine", ["git symbolic-ref HEAD refs/heads/main"]],
    ["git replace one two", ["git replace one three"]],
    // Code is granted by its exact words.
    ["git am one.mbox", ["git am two.mbox"]],
    ["npm exec --offline one", ["npm exec --offline two", "npm exec --offline one two", "npm exec one"]],
    ["cargo run one", ["cargo run two"]],
    ["uv run one", ["uv run two"]],
    ["cargo add one", ["cargo add two"]],
  ])("opens no word that means different things, and none of what runs code: `%s`", async (first, asked) => {
    const scenery = sceneWith((card) => (card.grant?.pattern === first ? forever : NO));
    await scenery.call("shell", { command: first });
    expect(scenery.cards.map((card) => card.grant?.pattern)).toEqual([first]);
    for (const command of asked) {
      scenery.cards.length = 0;
      const end = await scenery.call("shell", { command });
      expect([command, end.kind, scenery.cards.length]).toEqual([command, "refused", 1]);
    }
  });

  test("settles nothing beyond what it was seen to do: a redirection, a second command", async () => {
    const scenery = sceneWith(takesPattern);
    await scenery.call("shell", { command: "git commit -m one" });
    scenery.cards.length = 0;
    await scenery.call("shell", { command: "git commit -m two > log.txt" });
    await scenery.call("shell", { command: "git commit -m two; touch new" });
    expect(scenery.cards).toHaveLength(2);
  });

  test("is held once against a command, however many commands are in it", async () => {
    const commits = (count: number): string => Array.from({ length: count }, () => "git commit -m words").join("; ");
    let copies = 0;
    const scenery = scene({
      answer: takesPattern,
      // The policy with a grant's rule in it is a copy of the policy.
      change: ({ policy }) => ({ policy: new Proxy(policy, { ownKeys: (target) => ((copies += 1), Reflect.ownKeys(target)) }) }),
    });
    await scenery.call("shell", { command: commits(1) });
    const [few, many] = [2, 40];
    const counted: number[] = [];
    for (const count of [few, many]) {
      copies = 0;
      expect((await scenery.call("shell", { command: commits(count) })).kind).toBe("executed");
      counted.push(copies);
    }
    expect(scenery.cards).toHaveLength(1);
    expect(counted[1]).toBe(counted[0]);
  });

  test("is offered for code in a contained profile by its exact words, and holds whatever the code is by then", async () => {
    const scenery = scene({ answer: () => forever });
    const file = join(scenery.workspace, "check.js");
    for (const text of ["1;", "2;"]) {
      writeFileSync(file, text);
      expect((await scenery.call("shell", { command: "node check.js" })).kind).toBe("executed");
    }
    expect(scenery.cards).toHaveLength(1);
    expect(scenery.cards[0]?.grant).toMatchObject({ pattern: "node check.js", effects: ["runs-code"] });
    await scenery.call("shell", { command: "node check.js --fix" });
    expect(scenery.cards).toHaveLength(2);
  });

  test("of `npm test` covers the script that it reads, whatever that is by then; not what is worse, and not other words", async () => {
    const scenery = scene({ answer: takesPattern });
    const script = (test: string): void => writeFileSync(join(scenery.workspace, "package.json"), JSON.stringify({ scripts: { test } }));
    for (const text of ["node check.js", "node other.js && node check.js"]) {
      script(text);
      expect([text, (await scenery.call("shell", { command: "npm test" })).kind]).toEqual([text, "executed"]);
    }
    expect(scenery.cards.map(({ grant }) => grant?.pattern)).toEqual(["npm test"]);
    for (const [text, command] of [
      ["node check.js", "npm test -- --fix"],
      ["node check.js", "npm test; node check.js"],
      ["node check.js", "npm test > out"],
      ["node check.js", "timeout 9 npm test"],
      ["node check.js", "node check.js"],
      ["rm -rf src", "npm test"],
      ["rm src/a", "npm test"],
      ["no-such-program", "npm test"],
    ] as const) {
      script(text);
      scenery.cards.length = 0;
      await scenery.call("shell", { command });
      expect([text, command, scenery.cards.length]).toEqual([text, command, 1]);
    }
  });

  test("of `npm test` covers its script alone where the profile is contained", async () => {
    const scenery = scene({ answer: takesPattern, policy: policyText({ network: "[a.example]" }) });
    writeFileSync(join(scenery.workspace, "package.json"), JSON.stringify({ scripts: { test: "touch a" } }));
    await scenery.call("shell", { command: "npm test" });
    expect(scenery.cards.map(({ grant }) => grant)).toEqual([null]);
  });

  test("is never offered for high risk, and a pattern on a forged answer grants nothing lasting", async () => {
    const scenery = scene({ answer: () => forever });
    expect((await scenery.call("shell", { command: "no-such-program --all" })).kind).toBe("executed");
    expect(scenery.cards[0]?.grant).toBeNull();
    await scenery.call("shell", { command: "no-such-program --all" });
    expect(scenery.cards).toHaveLength(2);
    expect(grantsOf(scenery)).toEqual([]);
  });

  test.each(["touch a", "touch src/a b", "mkdir x"])("is never a whole tool: %s", async (command) => {
    const scenery = sceneWith(() => NO);
    await scenery.call("shell", { command });
    expect(scenery.cards[0]?.grant?.pattern ?? "none").not.toMatch(/^\w+ \*|\*\*/u);
    expect(scenery.cards[0]?.grant?.pattern).not.toBe(join(scenery.workspace, "*"));
  });

  test("does not answer what a rule or an effect of the policy asks about by itself", async () => {
    for (const commands of ["rules: [{ id: ask-commits, ask: 'git commit **', because: 'We look.' }]", "effects: { history: ask }"]) {
      const scenery = sceneWith(() => forever, `${policyText()}commands: { ${commands} }\n`);
      await scenery.call("shell", { command: "git commit -m one" });
      await scenery.call("shell", { command: "git commit -m one" });
      expect([commands, scenery.cards.length]).toEqual([commands, 2]);
      expect(scenery.cards[0]?.grant).toBeNull();
    }
  });
});

describe("a standing grant", () => {
  const onceMore = async (scenery: Scene, runId: string): Promise<number> => {
    const gate = createGate({ ...scenery.parts, runId });
    const before = scenery.cards.length;
    await gate.runToolCall(
      { id: "call-1", name: "write_file", input: { path: `src/${runId}.ts`, content: runId } },
      { signal: new AbortController().signal, emit: () => null },
    );
    return scenery.cards.length - before;
  };
  const answering = (period: GrantPeriod) => {
    let isFirst = true;
    return (): ApprovalAnswer => {
      if (!isFirst) return NO;
      isFirst = false;
      return { kind: "granted", scope: "pattern", by: "ann@test", period };
    };
  };

  test("for the run holds in this run alone", async () => {
    const scenery = sceneWith(answering({ kind: "run" }));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    expect((await scenery.call("write_file", { path: "src/b.ts", content: "b" })).kind).toBe("executed");
    expect(await onceMore(scenery, "run-other")).toBe(1);
  });

  test("until a date ends by itself", async () => {
    const scenery = sceneWith(answering({ kind: "days", days: 2 }));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    scenery.clock.advance(2 * DAY_MS - 1);
    expect(await onceMore(scenery, "run-2")).toBe(0);
    scenery.clock.advance(1);
    expect(await onceMore(scenery, "run-3")).toBe(1);
    expect(grantsOf(scenery)[0]?.state).toBe("expired");
  });

  test("until a date is not prolonged by a clock that went back, but for a day", async () => {
    const scenery = sceneWith(answering({ kind: "days", days: 2 }));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    scenery.clock.advance(-DAY_MS);
    expect(await onceMore(scenery, "run-2")).toBe(0);
    scenery.clock.advance(-1);
    expect(await onceMore(scenery, "run-3")).toBe(1);
    expect(grantsOf(scenery).at(-1)?.state).toBe("expired");
  });

  test("forever holds until it is revoked", async () => {
    const scenery = sceneWith(answering({ kind: "forever" }));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    scenery.clock.advance(1_000 * DAY_MS);
    expect(await onceMore(scenery, "run-2")).toBe(0);
    expect(revokeGrant({ store: scenery.store, clock: scenery.clock }, grantsOf(scenery)[0]?.id ?? "", "bob")).toBe(true);
    expect(await onceMore(scenery, "run-3")).toBe(1);
    expect(grantsOf(scenery)[0]).toMatchObject({ state: "revoked", revokedBy: "bob" });
  });

  test("of another policy or workspace is none here", async () => {
    const scenery = sceneWith(answering({ kind: "forever" }));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    const gate = createGate({ ...scenery.parts, policy: { ...scenery.parts.policy, name: "another" } });
    await gate.runToolCall(
      { id: "call-9", name: "write_file", input: { path: "src/z.ts", content: "" } },
      { signal: new AbortController().signal, emit: () => null },
    );
    expect(scenery.cards).toHaveLength(2);
  });

  test("lifts no denial: what the policy forbids stays forbidden, by a link too", async () => {
    const scenery = sceneWith(answering({ kind: "forever" }));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    symlinkSync("/etc/passwd", join(scenery.workspace, "src", "link.ts"));
    symlinkSync(join(scenery.workspace, "elsewhere"), join(scenery.workspace, "src", "out.ts"));
    expect((await scenery.call("shell", { command: "touch src/.env" })).kind).toBe("denied");
    expect((await scenery.call("shell", { command: "touch src/link.ts" })).kind).toBe("denied");
    const before = scenery.cards.length;
    await scenery.call("shell", { command: "touch src/out.ts" });
    expect(scenery.cards.length).toBe(before + 1);
    expect(existsSync(join(scenery.workspace, "elsewhere"))).toBe(false);
  });

  test("is recorded at each use, with who gave it", async () => {
    const scenery = sceneWith(answering({ kind: "forever" }));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    await scenery.call("write_file", { path: "src/b.ts", content: "b" });
    const [grant] = grantsOf(scenery);
    expect(scenery.records("approval-answered").at(-1)?.payload).toMatchObject({ approval: grant?.id, by: "ann@test", scope: "pattern", answer: "granted" });
  });
});

describe("the card", () => {
  test("leads with what differs from the last approved one of its kind", async () => {
    const scenery = sceneWith((card) => (card.differs === null ? YES : NO));
    await scenery.call("shell", { command: "git commit -m one" });
    await scenery.call("shell", { command: "git commit -m two --amend" });
    expect(scenery.cards[1]?.differs).toMatchObject({ approvalId: scenery.cards[0]?.approvalId, by: "ann@test", isVoided: false });
    expect(scenery.cards[1]?.differs?.lines).toEqual(expect.arrayContaining(["- command: git commit -m one", "+ command: git commit -m two --amend"]));
  });

  test("says nothing where nothing of its kind was approved", async () => {
    const scenery = sceneWith(() => YES);
    writeFileSync(join(scenery.workspace, "a"), "");
    await scenery.call("shell", { command: "git commit -m one" });
    await scenery.call("shell", { command: "touch a" });
    expect(scenery.cards.map((card) => card.differs)).toEqual([null, null]);
  });
});

describe("what a policy wants confirmed", () => {
  const confirmed = (approvals: string): string => `${policyText()}approvals: ${approvals}\n`;

  test.each([
    ["{ codes: [history] }", 1],
    ["{ approvers: { history: 2 } }", 2],
  ])("%s: a plain yes is nobody's, and no pattern is offered", async (approvals, needed) => {
    const scenery = sceneWith(() => YES, confirmed(approvals));
    expect((await scenery.call("shell", { command: "git commit -m one" })).kind).toBe("denied");
    expect(scenery.cards[0]).toMatchObject({ needed, needsCode: true, grant: null });
    expect((await scenery.call("shell", { command: "touch a" })).kind).toBe("executed");
    expect(scenery.cards[1]).toMatchObject({ needed: 1, needsCode: false });
  });

  test("is not skipped by a grant from before", async () => {
    const before = sceneWith(takesPattern);
    await before.call("shell", { command: "git commit -m one" });
    const policy = { ...before.parts.policy, approvals: { approvers: {}, codes: ["history" as const] } };
    const gate = createGate({ ...before.parts, policy });
    const end = await gate.runToolCall(
      { id: "call-9", name: "shell", input: { command: "git commit -m two" } },
      { signal: new AbortController().signal, emit: () => null },
    );
    expect(end.kind).not.toBe("executed");
    expect(before.cards).toHaveLength(2);
  });
});
