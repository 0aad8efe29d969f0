import { describe, expect, test } from "vitest";
import { continuationOf } from "../../src/agent/journal.ts";
import { type CallMark, countRefusals, markOf } from "../../src/agent/calls/refusals.ts";
import type { RunToolCall } from "../../src/gate/gate.ts";
import { callEnd, play, resultTexts } from "../support/agent-run.ts";

const refused = (reason: string, isLook = false): CallMark => ({ kind: "refused", rule: "no-net", reasons: [reason], isLook });
const change: CallMark = { kind: "succeeded", isLook: false };
const look: CallMark = { kind: "succeeded", isLook: true };
const other: CallMark = { kind: "other" };

const shell = (command: string) => ({ tool: "shell", input: { command } });
const done = { say: "I could not." };
/** A gate that refuses everything for one reason but `ls` and `make`, a change. */
const gate: RunToolCall = (call) => {
  const { command } = call.input as { command: string };
  if (command === "ls") return Promise.resolve({ ...callEnd("a"), ruling: ruled("reads") });
  if (command.startsWith("make")) return Promise.resolve({ ...callEnd("made"), ruling: ruled("runs-code"), exitCode: command === "make" ? 0 : 2 });
  return Promise.resolve({ ...callEnd("Denied by rule no-net.", "denied"), ruling: ruled("connects"), refusal: { rule: "no-net", reasons: ["host"] } });
};
const ruled = (kind: "reads" | "connects" | "runs-code") =>
  ({
    digest: "d",
    callId: "c",
    tool: "shell",
    policy: "p",
    decision: { verdict: "allow", risk: "low", reason: "", rules: [], units: [{ unit: { kind, subject: "", simple: null } }] },
  }) as unknown as NonNullable<Awaited<ReturnType<RunToolCall>>["ruling"]>;

describe("a reason that is refused again and again", () => {
  test("is told plainly from the third time on, and ends the run at the fifth", () => {
    const refusals = countRefusals();
    expect(Array.from({ length: 5 }, () => refusals.take(refused("host")).kind)).toEqual(["fine", "fine", "warn", "warn", "stop"]);
  });

  test("counts also with other calls between, whatever came of them", () => {
    const refusals = countRefusals();
    for (const mark of [refused("host"), change, refused("host"), other]) refusals.take(mark);
    expect(refusals.take(refused("host"))).toEqual({ kind: "warn", rule: "no-net", times: 3 });
  });

  test("is another one with another rule or subject", () => {
    const refusals = countRefusals();
    expect(["a", "b", "c", "d", "e", "f"].map((reason) => refusals.take(refused(reason)).kind)).toEqual(Array.from({ length: 6 }, () => "fine"));
  });

  test("is told with what would be allowed, in Warder's own line alone", async () => {
    const denying: RunToolCall = () => {
      const ruling = ruled("connects");
      const told = { ...ruling, decision: { ...ruling.decision, instead: "a host of\nthe list" } };
      return Promise.resolve({ ...callEnd("Denied by rule no-net.", "denied"), ruling: told, refusal: { rule: "no-net", reasons: ["host"] } });
    };
    const turns = ["a", "b", "c"].map((host) => ({ calls: [shell(`curl ${host}`)] }));
    const { messages } = await play([...turns, done], denying);
    const lines = resultTexts(messages).map((text) => text.split("\n")[0] ?? "");
    expect(lines[1]).toBe("[warder, failed]");
    expect(lines[2]).toContain("refused 3 times for the same reason (rule no-net)");
    expect(lines[2]).toContain("what would be allowed: a host of");
    expect(lines[2]).toContain("the list");
  });

  test("counts on in a resumed run", () => {
    const refusals = countRefusals([refused("host"), refused("host"), refused("host"), refused("host")]);
    expect(refusals.take(refused("host")).kind).toBe("stop");
  });
});

describe("a run comes to nothing", () => {
  test.each<[string, readonly CallMark[], boolean]>([
    ["when all was refused", [refused("a"), refused("b")], true],
    ["when all looks were refused", [refused("a", true), refused("b", true)], true],
    ["when changes were refused, and only looks succeeded", [look, refused("a"), look, look], true],
    ["when what else it did failed", [refused("a"), other], true],
    ["when a look was refused, too", [refused("a"), refused("b", true), look], true],
    ["not when another change succeeded", [refused("a"), change], false],
    ["not when a change succeeded before", [change, refused("a")], false],
    ["not when looks alone were refused, and another succeeded", [refused("a", true), look], false],
    ["not when nothing was refused", [change, look, other], false],
    ["not when it did nothing", [], false],
  ])("%s", (_when, marks, isSo) => {
    expect(countRefusals(marks).unsuccessful() !== null).toBe(isSo);
  });
});

test("a call counts as what became of it", () => {
  const refusal = { rule: "no-net", reasons: ["x"] };
  expect(markOf({ ...callEnd("no", "denied"), ruling: ruled("connects"), refusal })).toEqual({ kind: "refused", rule: "no-net", reasons: ["x"], isLook: true });
  expect(markOf({ ...callEnd("no", "denied"), ruling: ruled("runs-code") })).toEqual({ kind: "other" });
  expect(markOf({ ...callEnd("ok"), ruling: ruled("runs-code"), exitCode: 0 })).toEqual({ kind: "succeeded", isLook: false });
  expect(markOf({ ...callEnd("ok"), ruling: ruled("runs-code"), exitCode: 1 })).toEqual({ kind: "other" });
  expect(markOf(callEnd("no tool", "unknown-tool"))).toEqual({ kind: "other" });
});

describe("a run", () => {
  test("that is refused the same five times in other words ends denied, and the model was told", async () => {
    const { end, messages, steps } = await play([...Array.from({ length: 8 }, (_, index) => ({ calls: [shell(`curl ${index}`)] })), done], gate);
    expect(end).toMatchObject({ kind: "denied", rule: "no-net", turns: 5, reason: expect.stringContaining("refused 5 times (rule no-net)") });
    expect(resultTexts(messages).map((text) => /refused (\d) times/u.exec(text)?.[1])).toEqual([undefined, undefined, "3", "4", "5"]);
    expect(resultTexts(messages)[2]).toMatch(/^\[warder, failed\] \[warder: refused 3 times for the same reason \(rule no-net\); .*\]\n/u);
    expect(steps.flatMap((step) => (step.kind === "result" ? [step.mark?.kind] : []))).toEqual(Array.from({ length: 5 }, () => "refused"));
  });

  test("counts on from what its steps kept", async () => {
    const turns = Array.from({ length: 9 }, (_, index) => ({ calls: [shell(`curl ${index}`)] }));
    const first = await play(turns, gate, { limits: { turns: 4, tokens: 1e9, minutes: 10 } });
    expect(first.end).toMatchObject({ kind: "limit", limit: "turns" });
    const { end } = await play(turns, gate, { continuation: continuationOf("Go.", first.steps) });
    expect(end).toMatchObject({ kind: "denied", turns: 5 });
  });

  test.each([
    [["ls", "curl"], "done"],
    [["curl", "make"], "done"],
    [["curl", "make broken"], "denied"],
    [["curl", "ls"], "done"],
    [["make", "curl"], "done"],
    [["curl"], "denied"],
    [["make", "ls"], "done"],
  ])("whose calls are %j ends %s", async (commands, kind) => {
    const { end } = await play([...commands.map((command) => ({ calls: [shell(command)] })), done], gate);
    expect(end).toMatchObject({ kind });
  });
});
