import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createInbox } from "../../../src/agent/inbox.ts";
import { AgentError } from "../../../src/base/errors.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { Hook } from "../../../src/gate/hooks/hook.ts";
import { defineTool } from "../../../src/tools/contract/define.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { brokenPairs, play, type PlayOptions, planned, resultTexts } from "../../support/agent-run.ts";
import { policyText, scene, YES, type SceneOptions } from "../gate-scene.ts";

const NAMED = `${policyText({ autonomy: "full" })}tools: { allow: [own, read_file] }\n`;
const done = { say: "Done." };

type Own = Partial<Parameters<typeof defineTool<z.ZodObject>>[0]>;

/** A run whose calls go through a real gate; `own` is a tool of an embedding program. */
async function run(turns: readonly unknown[], own: Own, options: PlayOptions & SceneOptions = {}) {
  const tool = defineTool({ name: "own", description: "", schema: z.looseObject({}), execute: () => "x", ...own });
  const tools = createRegistry(BUILT_IN_TOOLS, [tool]);
  const made = scene({ policy: NAMED, ...options, change: () => ({ tools, ...(options.hooks && { hooks: options.hooks }) }) });
  writeFileSync(join(made.workspace, "a.txt"), "of a\n");
  const gate = createGate(made.parts);
  return { ...(await play(turns, gate.runToolCall, { ...options, planCall: gate.planCall, traitsOf: gate.traitsOf })), records: made.records };
}

describe("what the model is told of a call that came to nothing", () => {
  const behind = "[warder, failed]\n";
  // Once a tool of the program's has begun, Warder vouches for no word.
  const acted = "[untrusted output, failed]\n";

  test("has fixed words for each of the seven kinds", async () => {
    const never = (): Promise<string> => new Promise(() => undefined);
    const thrown = (): never => {
      throw new Error("of the tool's own");
    };
    const failed = await run([{ calls: [{ tool: "own" }] }, done], { execute: thrown });
    const unknown = await run([{ calls: [{ tool: "read_fil" }] }, done], {});
    const invalid = await run([{ calls: [{ tool: "read_file", input: { path: "a.txt", lines: 1 } }] }, done], {});
    const denied = await run([{ calls: [{ tool: "read_file", input: { path: ".ssh/id_ed25519" } }] }, done], {});
    const late = await run([{ calls: [{ tool: "own" }] }, done], { execute: never, traits: { timeoutMs: 20 } });
    const stop = new AbortController();
    const cancelled = await run([{ calls: [{ tool: "own" }, { tool: "own" }] }, done], { execute: () => (stop.abort(), "x") }, { signal: stop.signal });
    const fatal = await play(
      [{ calls: [{ tool: "shell" }, { tool: "shell" }] }, done],
      () => Promise.reject(new AgentError("store-unavailable", "No store.")),
      { planCall: planned() },
    );
    expect({
      failed: resultTexts(failed.messages),
      unknown: resultTexts(unknown.messages),
      invalid: resultTexts(invalid.messages),
      denied: resultTexts(denied.messages),
      late: resultTexts(late.messages),
      cancelled: resultTexts(cancelled.messages).slice(1),
      fatal: resultTexts(fatal.messages),
    }).toEqual({
      failed: [`${acted}Failed: the tool own had a fault of its own.`],
      unknown: [`${behind}Tool not found: read_fil. Did you mean read_file, read_job, read?`],
      invalid: [expect.stringMatching(/^\[warder, failed\]\nInvalid arguments for read_file: there is no argument lines\. read_file takes: path/u)],
      denied: [expect.stringMatching(/^\[warder, failed\]\nDenied by rule forbidden-path: /u)],
      late: [`${acted}Timed out: the tool did not end.`],
      cancelled: [`${behind}Cancelled before it started.`],
      fatal: [`${behind}Warder failed while it handled this call. The run is ending.`, `${behind}Not started: the run is ending.`],
    });
    expect(fatal.end).toMatchObject({ kind: "failed", code: "store-unavailable" });
    for (const { messages } of [failed, unknown, invalid, denied, late, cancelled, fatal]) expect(brokenPairs(messages)).toEqual([]);
  });
});

test("log and events carry the canonical name, whichever name the model used", async () => {
  const calls = [
    { tool: "read", input: { path: "a.txt" } },
    { tool: "fs_read", input: { path: ".ssh/id_ed25519" } },
    { tool: "file_read", input: { paths: 7 } },
  ];
  const { records, events, messages } = await run([{ calls }, done], {});
  const logged = records().flatMap(({ payload }) => (typeof payload["tool"] === "string" ? [payload["tool"]] : []));
  expect(logged.length).toBeGreaterThanOrEqual(6);
  expect(new Set(logged)).toEqual(new Set(["read_file"]));
  const told = events.flatMap((event) => ("tool" in event ? [[event.kind, event.tool]] : []));
  expect(new Set(told.map(([kind]) => kind))).toEqual(new Set(["tool-start", "tool-end", "tool-result"]));
  expect(new Set(told.map(([, tool]) => tool))).toEqual(new Set(["read_file"]));
  expect(events.flatMap((event) => (event.kind === "ruling" ? [event.ruling.tool] : []))).toEqual(["read_file", "read_file"]);
  // A provider wants the name back that its model used.
  expect(messages.flatMap((message) => (message.kind === "tool" ? message.results.map(({ name }) => name) : []))).toEqual(["read", "fs_read", "file_read"]);
});

test("a label names the tool by its canonical name, whichever name the model used", async () => {
  const hooks: readonly Hook[] = [{ name: "mask", afterTool: () => ({ text: "masked" }) }];
  const { messages } = await run([{ calls: [{ tool: "fs_read", input: { path: ".ssh/id_ed25519" } }] }, done], {}, { hooks });
  const labels = messages.flatMap((message) => (message.kind === "tool" ? message.results.flatMap((result) => result.labels ?? []) : []));
  expect(labels.map(({ source }) => source)).toEqual(["tool read_file"]);
});

describe("calls of a tool that says what makes two of them the same", () => {
  const looks = (count: number) => [...Array.from({ length: count }, (_, line) => ({ calls: [{ tool: "own", input: { path: "a", line } }] })), done];
  const schema = z.object({ path: z.string(), line: z.number() });

  test("count as one where they have one target, and stop the run at the fifth", async () => {
    const { end, messages } = await run(looks(9), { schema, traits: { identity: { kind: "target", targetArgument: "path" } } });
    expect(end).toMatchObject({ kind: "limit", limit: "repetition", turns: 5 });
    expect(resultTexts(messages).map((text) => text.includes("the same call with the same outcome"))).toEqual([false, false, true, true, true]);
  });

  test("are others where their arguments differ and the tool says nothing", async () => {
    const { end } = await run(looks(9), { schema });
    expect(end).toMatchObject({ kind: "done", turns: 10 });
  });
});

test("all events of a run come in one order: run, turn, message, hook, ruling, question, start, updates, end, hook, result", async () => {
  const inbox = createInbox();
  inbox.followUp("And then?");
  const hooks: readonly Hook[] = [
    {
      name: "all",
      mayRewrite: true,
      beforeTool: ({ input }) => ({ rewrite: { ...(input as object), more: 1 } }),
      afterTool: () => ({ text: "masked" }),
      onPrompt: ({ source }) => (source === "follow-up" ? { warn: "late" } : undefined),
      onStop: ({ putOff }) => (putOff === 0 ? { continue: "one more" } : undefined),
    },
  ];
  const turns = [{ say: "Look.", calls: [{ tool: "own", input: {} }] }, { say: "One." }, { say: "Two." }, { say: "Three." }];
  const { events } = await run(
    turns,
    {
      execute: (_input, { progress, update }) => {
        progress("half");
        update({ done: 1 });
        return "result";
      },
    },
    { inbox, hooks, policy: policyText({ autonomy: "full" }), answer: () => YES, clock: { nowMs: () => 42, monotonicMs: () => 0 } },
  );
  const message = ["turn-start", "message-start", "message-delta", "message-end"];
  const inOrder = [
    ["run-start", ...message],
    ["hook", "ruling", "approval-requested", "approval-answered", "tool-start", "tool-progress", "tool-update", "tool-end", "hook", "tool-result", "turn-end"],
    [...message, "turn-end", "run-hook", "input"],
    [...message, "turn-end", "run-hook"],
    [...message, "turn-end", "run-end"],
  ];
  expect(events.map(({ kind }) => kind)).toEqual(inOrder.flat());
  expect(events.every(({ runId, atMs }) => runId === "run-test" && Number.isInteger(atMs))).toBe(true);
  const ofCall = events.flatMap((event) => ("callId" in event ? [event.callId] : []));
  expect(ofCall.length).toBeGreaterThan(8);
  expect(new Set(ofCall).size).toBe(1);
});
