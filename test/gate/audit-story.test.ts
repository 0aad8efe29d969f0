import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callStories } from "../../src/audit/log/call-story.ts";
import { appendAudit } from "../../src/audit/log/log.ts";
import { storyText } from "../../src/cli/commands/audit/show.ts";
import type { ApprovalAnswer } from "../../src/approvals/card.ts";
import { NO, policyText, scene, YES, type Scene } from "./gate-scene.ts";

const LIMITED = policyText({ limits: "{ actions: { max: 9, per: 1h }, asks: { max: 9, per: 1h }, calls: { max: 9, per: 1h } }" });
const kinds = ({ records }: Scene) => records().map(({ kind }) => kind);
const story = ({ parts }: Scene, call = "call-1") => callStories(parts.audit, call).map(storyText).join("\n");

describe("every step of a call is a record:", () => {
  test("what arrived, what was counted, what was ruled, asked, answered, permitted and came back", async () => {
    const scenery = scene({ policy: LIMITED, answer: () => YES });
    await scenery.call("shell", { command: "touch a" });
    expect(kinds(scenery)).toEqual([
      "call",
      "budget-moved",
      "ruling",
      "budget-moved",
      "approval-requested",
      "approval-answered",
      "budget-moved",
      "permit-spent",
      "outcome",
    ]);
    expect(scenery.records("budget-moved").map(({ payload }) => [payload["call"], payload["amounts"]])).toEqual([
      ["call-1", { calls: 1 }],
      ["call-1", { asks: 1 }],
      ["call-1", { actions: 1 }],
    ]);
    expect(scenery.records("budget-moved")[0]?.payload["limits"]).toEqual([expect.stringContaining("calls") as string]);
  });

  test("a limit that nobody stated is not counted, and what was taken and given back is no move", async () => {
    const scenery = scene({ answer: () => NO });
    await scenery.call("shell", { command: "touch a" });
    expect(scenery.records("budget-moved")).toEqual([]);
    const limited = scene({ policy: policyText({ limits: "{ actions: { max: 9, per: 1h } }" }), answer: () => NO });
    await limited.call("shell", { command: "touch a" });
    expect(limited.records("budget-moved")).toEqual([]);
  });

  test("a lasting answer, once, with what it covers and who gave it", async () => {
    const answer: ApprovalAnswer = { kind: "granted", scope: "pattern", by: "ann@test", period: { kind: "days", days: 3 } };
    const scenery = scene({ answer: (card) => (card.grant === null ? NO : answer) });
    mkdirSync(join(scenery.workspace, "src"));
    await scenery.call("write_file", { path: "src/a.ts", content: "a" });
    await scenery.call("write_file", { path: "src/b.ts", content: "b" });
    expect(scenery.cards).toHaveLength(1);
    expect(scenery.records("grant-added").map(({ payload }) => payload)).toMatchObject([
      {
        approval: scenery.cards[0]?.approvalId,
        pattern: scenery.cards[0]?.grant?.pattern,
        by: "ann@test",
        until: new Date(scenery.clock.nowMs() + 3 * 86_400_000).toISOString(),
      },
    ]);
    expect(kinds(scenery).indexOf("grant-added")).toBeLessThan(kinds(scenery).indexOf("permit-spent"));
  });
});

describe("the story of a call", () => {
  test("says who approved it, which rule let it, what exactly ran, with which image, and what came back", async () => {
    const scenery = scene({ answer: () => YES });
    const { audit, policy, session } = scenery.parts;
    appendAudit(audit, { run: "run-test", payload: { kind: "policy-loaded", name: policy.name, policy: policy.digest, files: policy.files } });
    appendAudit(audit, { run: "run-test", payload: { kind: "sandbox-opened", session: "s", runtime: "docker", image: session.imageDigest, profile: "p" } });
    await scenery.call("shell", { command: "touch a; echo made" });
    await scenery.call("shell", { command: "touch b" });
    const text = story(scenery);
    expect(text).toMatch(new RegExp(`Policy +test, ${policy.digest}`, "u"));
    expect(text).toMatch(new RegExp(`Sandbox +docker, image ${session.imageDigest}`, "u"));
    expect(text).toMatch(/Wanted +shell \{"command":"touch a; echo made"\}/u);
    expect(text).toMatch(/Ruled +ask, medium risk/u);
    expect(text).toMatch(/rule baseline-supervised-medium \(.*test\.yaml:\d+\): ask/u);
    expect(text).toMatch(/Asked +approval-\w+, by rule baseline-supervised-medium/u);
    expect(text).toMatch(/Taken up +granted by ann@test, once/u);
    expect(text).toMatch(/Ran +exec \{"argv":\[.*touch a; echo made.*\],"cwd":/u);
    expect(text).toMatch(/Came back +completed, exit code 0, after \d+ ms\n +it came from what is untrusted: command touch a; echo made .*\n +\| [\s\S]*made/u);
    expect(text).not.toContain("touch b");
  });

  test("of a denied one names the rule, and that it did not run", async () => {
    const scenery = scene();
    await scenery.call("shell", { command: "warder start" });
    expect(story(scenery)).toMatch(/rule own-command: deny: [\s\S]*It did not run\./u);
  });

  test("of one that was cut off says that nobody knows", async () => {
    const scenery = scene();
    const { audit } = scenery.parts;
    const about = { call: "call-9", ruling: "r" };
    appendAudit(audit, { run: "run-test", payload: { kind: "permit-spent", ...about, action: "a", does: "exec", target: { argv: ["make"] } } });
    expect(story(scenery, "call-9")).toContain("No outcome is recorded: it may have happened or not.");
    expect(callStories(audit, "call-none")).toEqual([]);
  });

  test("keeps runs apart that used one identifier, and takes connections between its first action and its outcome", async () => {
    const scenery = scene();
    const { audit } = scenery.parts;
    const connection = {
      kind: "connection",
      via: "http",
      port: 80,
      address: null,
      request: null,
      decision: "allow",
      reason: "closed",
      bytesUp: 1,
      bytesDown: 2,
      durationMs: 3,
    } as const;
    const about = { call: "call-9", ruling: "r" };
    appendAudit(audit, { run: "run-a", payload: { ...connection, host: "before.example.org" } });
    appendAudit(audit, { run: "run-a", payload: { kind: "permit-spent", ...about, action: "a", does: "exec", target: {} } });
    appendAudit(audit, { run: "run-b", payload: { ...connection, host: "other.example.org" } });
    appendAudit(audit, { run: "run-a", payload: { ...connection, host: "during.example.org" } });
    appendAudit(audit, { run: "run-a", payload: { kind: "outcome", ...about, outcome: "completed", exitCode: 0, durationMs: 1, result: "out" } });
    appendAudit(audit, { run: "run-a", payload: { ...connection, host: "after.example.org" } });
    appendAudit(audit, { run: "run-b", payload: { kind: "call", call: "call-9", tool: "shell", input: {} } });
    const stories = callStories(audit, "call-9");
    expect(stories.map(({ run, connections }) => [run, connections.map(({ payload }) => payload["host"])])).toEqual([
      ["run-a", ["during.example.org"]],
      ["run-b", []],
    ]);
  });

  test("is safe to print, whatever a model wrote", async () => {
    const scenery = scene();
    await scenery.call("shell\u001b[2J", { command: "x\u202e" });
    expect(story(scenery)).not.toMatch(/[\u001b\u202e]/u);
  });
});
