import { describe, expect, test } from "vitest";
import { commandHooks, type HookCommandRan } from "../../../src/gate/hooks/command-hook.ts";
import type { Hook, HookedCall } from "../../../src/gate/hooks/hook.ts";
import { createRunHooks } from "../../../src/gate/hooks/run-hooks.ts";
import type { CommandHook } from "../../../src/policy/hook.ts";
import type { Outcome } from "../../../src/sandbox/outcome.ts";
import { movableClock } from "../../support/temporary-store.ts";

const { signal } = new AbortController();
const CALL: HookedCall = { runId: "run-child", callId: "call-7", tool: "shell", input: { command: "ls" } };
const bounded = (text: string) => ({ text, totalBytes: text.length, cutBytes: 0 });
const ended = (exitCode: number | null, stdout = "", stderr = ""): Outcome => ({
  kind: "completed",
  durationMs: 3,
  result: { kind: "exec", exitCode, signal: exitCode === null ? "SIGKILL" : null, stdout: bounded(stdout), stderr: bounded(stderr) },
});

/** Hooks whose commands end as the test says, in place of a sandbox: what the gate makes of an end, and what it tells. */
function hooked(change: Partial<CommandHook>, ...ends: readonly Outcome[]) {
  const told: unknown[] = [];
  const ran: (readonly [string, HookCommandRan])[] = [];
  const clock = movableClock();
  const hook: CommandHook = {
    id: "own",
    on: ["before-tool"],
    tools: null,
    argv: ["check"],
    timeoutMs: 1000,
    cacheMs: 0,
    mayRewrite: false,
    because: "It is so.",
    at: { file: "policy.yaml", line: 1, column: 1 },
    ...change,
  };
  const left = [...ends];
  const [made] = commandHooks([hook], {
    workspace: "/work",
    clock,
    session: {
      look: ({ input }) => {
        told.push(JSON.parse(input));
        return Promise.resolve(left.shift() ?? ended(0));
      },
      redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    },
    tell: (how, runId) => void ran.push([runId, how]),
  });
  const hooks: readonly Hook[] = made === undefined ? [] : [made];
  return { told, ran, clock, hooks, own: made as Required<Hook> };
}

const did = async (on: CommandHook["on"][number], outcome: Outcome): Promise<unknown> => {
  const said: unknown[] = [];
  const run = createRunHooks(hooked({ on: [on] }, outcome).hooks, ({ did: what, detail }) => void said.push([what, detail]));
  const runId = "run-1";
  if (on === "run-start") await run.start({ runId, task: "t", model: "m", workspace: "/work", isResumed: false }, signal);
  if (on === "prompt") await run.prompt({ runId, text: "t", source: "task" }, signal);
  if (on === "stop") await run.stop({ runId, text: "t", putOff: 0 }, signal);
  if (on === "park") await run.park({ runId, approvalId: "a" }, signal);
  return said[0];
};

describe("a command at a turning point of a run", () => {
  test.each([
    ["run-start", ended(0), undefined],
    ["run-start", ended(2, "", "no"), ["blocked", "no"]],
    ["run-start", ended(2), ["blocked", "It is so."]],
    ["run-start", ended(1, "", "hm"), ["warned", "it ended with exit code 1: hm"]],
    ["run-start", ended(126), ["failed", "it ended with exit code 126"]],
    ["run-start", ended(null), ["failed", "it was ended by SIGKILL"]],
    ["run-start", ended(0, '{"continue":"x"}'), ["failed", "what it said is no answer"]],
    ["prompt", ended(2, "", "no"), ["blocked", "no"]],
    ["prompt", ended(3), ["warned", "it ended with exit code 3"]],
    ["prompt", ended(0, '{"warn":"mind the gap"}'), ["warned", "mind the gap"]],
    ["prompt", { kind: "timed-out", partial: null, durationMs: 1000 } as const, ["failed", "it was not done within 1000 ms"]],
    ["stop", ended(0), undefined],
    ["stop", ended(2, "", "go on"), ["continued", "go on"]],
    ["stop", ended(0, '{"continue":"go on"}'), ["continued", "go on"]],
    ["stop", ended(1), ["warned", "it ended with exit code 1"]],
    ["stop", ended(0, "yes"), ["failed", "what it wrote is no JSON"]],
    ["park", ended(0), undefined],
    ["park", ended(2, "", "no"), ["warned", "no"]],
    ["park", ended(0, '{"block":"x"}'), ["failed", "what it said is no answer"]],
    ["park", { kind: "failed", code: "session-lost", reason: "It is gone.", durationMs: 1 } as const, ["failed", "It is gone."]],
  ] as const)("%s, after %j: %j", async (on, outcome, expected) => {
    expect(await did(on, outcome)).toEqual(expected);
  });
});

describe("what a command is told, and what is told of it", () => {
  test("is the call, under the name of the run or sub-agent that it is of", async () => {
    const { told, ran, own } = hooked({ on: ["before-tool", "after-tool", "ask"], timeoutMs: 5 });
    await own.beforeTool(CALL, { signal });
    const image = { kind: "image", mediaType: "image/png", data: "" } as const;
    await own.afterTool(CALL, { content: [{ kind: "text", text: "a" }, image], isError: true, label: "untrusted", outcome: "completed" }, { signal });
    expect(told).toEqual([
      { version: 1, point: "before-tool", hook: "own", runId: "run-child", callId: "call-7", workspace: "/work", tool: "shell", input: { command: "ls" } },
      expect.objectContaining({ point: "after-tool", result: { outcome: "completed", isError: true, text: "a\n[image/png]", images: 1 } }),
    ]);
    expect(ran[0]).toEqual([
      "run-child",
      { hook: "own", point: "before-tool", callId: "call-7", outcome: "completed", exitCode: 0, durationMs: 0, isCached: false },
    ]);
  });

  test("holds for as long as it says, for the same input, whatever the call is named", async () => {
    const { ran, clock, own } = hooked({ cacheMs: 1000 }, ended(0, '{"block":"hunter2"}'));
    const ask = (change: Partial<HookedCall> = {}) => own.beforeTool({ ...CALL, ...change }, { signal });
    expect([await ask(), await ask({ callId: "call-8", runId: "run-other" })]).toEqual([{ block: "[redacted]" }, { block: "[redacted]" }]);
    expect(await ask({ input: { command: "ls -l" } })).toBeUndefined();
    expect(await ask({ tool: "start_job" })).toBeUndefined();
    clock.advance(1000);
    expect(await ask()).toBeUndefined();
    expect(ran.map(([, { isCached }]) => isCached)).toEqual([false, true, false, false, false]);
  });

  test("is nothing of a result that is no failure, where it looks at failures alone", async () => {
    const { told, own } = hooked({ on: ["tool-failure"] });
    const result = { content: [], label: "untrusted", outcome: "completed" } as const;
    expect(own.afterTool(CALL, { ...result, isError: false }, { signal })).toBeUndefined();
    await own.afterTool(CALL, { ...result, isError: true }, { signal });
    expect(told).toEqual([expect.objectContaining({ point: "tool-failure" })]);
  });
});
