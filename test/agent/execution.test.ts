import { describe, expect, test } from "vitest";
import { createInbox } from "../../src/agent/inbox.ts";
import { AgentError } from "../../src/base/errors.ts";
import type { CallEnd, PlanCall, RunToolCall } from "../../src/gate/gate.ts";
import type { ToolTraits } from "../../src/tools/contract/traits.ts";
import { brokenPairs, callEnd, planned, play, resultTexts } from "../support/agent-run.ts";

const shell = (command: string) => ({ tool: "shell", input: { command } });
const done = { say: "Done." };
const LOOK: Partial<ToolTraits> = { exclusiveSandbox: false, parallelSafe: true, tier: "read-only" };
const commandOf = ({ input }: { readonly input: unknown }): string => (input as { readonly command: string }).command;
const firstLines = (texts: readonly string[]): readonly string[] => texts.map((text) => text.split("\n")[1] ?? "");

/** A gate that notes what runs at once; each call ends when `release` lets it, or at once. */
function watched(end: (command: string) => CallEnd = (command) => callEnd(command)) {
  const running = new Set<string>();
  const order: string[] = [];
  let most = 0;
  const gate: RunToolCall = async (call, { signal }) => {
    const command = commandOf(call);
    running.add(command);
    order.push(`+${command}`);
    most = Math.max(most, running.size);
    // The first takes longest.
    for (let turn = command === "c0" ? 0 : 3; turn < 6 && !signal.aborted; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    running.delete(command);
    order.push(`-${command}`);
    return signal.aborted ? callEnd("stopped", "cancelled") : end(command);
  };
  return { gate, order, most: () => most };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => shell(`c${index}`));

describe("the calls of one turn run", () => {
  test.each([
    ["up to eight at once", {}, LOOK, 8],
    ["as many at once as the run says", { strategy: { kind: "parallel", atOnce: 3 } }, LOOK, 3],
    ["at once where their sub-agents have overlays of their own", {}, { ...LOOK, tier: "danger", subAgents: "own-overlay" }, 8],
    ["one at a time where their sub-agents share the workspace", {}, { ...LOOK, tier: "danger" }, 1],
    ["in groups", { strategy: { kind: "batched", size: 4 } }, LOOK, 4],
    ["one at a time where the run is pinned to it", { strategy: { kind: "sequential" } }, LOOK, 1],
    ["one at a time where their tool is exclusive", {}, { ...LOOK, exclusiveSandbox: true }, 1],
    ["one at a time where their tool does not say that it may run beside others", {}, { ...LOOK, parallelSafe: false }, 1],
  ] as const)("%s", async (_what, options, traits, expected) => {
    const { gate, most } = watched();
    const { messages, events } = await play([{ calls: many(20) }, done], gate, { ...options, planCall: planned(traits) });
    expect(most()).toBe(expected);
    expect(events.flatMap((event) => (event.kind === "tool-result" ? [event.text.split("\n")[1]] : []))).toEqual(many(20).map(({ input }) => input.command));
    expect(firstLines(resultTexts(messages))).toEqual(many(20).map(({ input }) => input.command));
  });

  test("all one after the other where one of them is exclusive", async () => {
    const { gate, most } = watched();
    const planCall: PlanCall = (call) => planned({ ...LOOK, exclusiveSandbox: commandOf(call) === "c3" })(call);
    await play([{ calls: many(5) }, done], gate, { planCall });
    expect(most()).toBe(1);
  });

  test("beside each other, except those that write what another reads or writes", async () => {
    const { gate, order } = watched();
    const scopes: Readonly<Record<string, { readonly reads?: string; readonly writes?: string }>> = {
      "read /a": { reads: "/w/a" },
      "write /a": { writes: "/w/a" },
      "write /b": { writes: "/w/b" },
      "write /a again": { writes: "/w/a" },
      "list all": { reads: "/w" },
    };
    const scope = (path: string | undefined, isRecursive = false) => (path === undefined ? [] : [{ path, isRecursive }]);
    const planCall: PlanCall = (call) => {
      const { reads, writes } = scopes[commandOf(call)] ?? {};
      const tier = writes === undefined ? "read-only" : "workspace-write";
      const plan = planned({ ...LOOK, tier })(call);
      return plan === null ? null : { ...plan, reads: scope(reads, reads === "/w"), writes: scope(writes) };
    };
    await play([{ calls: Object.keys(scopes).map(shell) }, done], gate, { planCall });
    const at = (step: string): number => order.indexOf(step);
    expect(at("+write /a")).toBeGreaterThan(at("-read /a"));
    expect(at("+write /b")).toBeLessThan(at("-read /a"));
    expect(at("+write /a again")).toBeGreaterThan(at("-write /a"));
    expect(at("+list all")).toBeGreaterThan(Math.max(at("-write /a"), at("-write /b")));
  });

  test("and what changes something without saying where runs beside nothing else that does", async () => {
    const { gate, most } = watched();
    await play([{ calls: many(4) }, done], gate, { planCall: planned({ ...LOOK, tier: "danger" }) });
    expect(most()).toBe(1);
  });

  test("and a sub-agent with an overlay of its own runs beside nothing else that changes something", async () => {
    const { gate, order } = watched();
    const own = (call: Parameters<PlanCall>[0]): Partial<ToolTraits> => (commandOf(call) === "c1" ? {} : { subAgents: "own-overlay" });
    await play([{ calls: many(3) }, done], gate, { planCall: (call) => planned({ ...LOOK, tier: "danger", ...own(call) })(call) });
    expect(order).toEqual(["+c0", "-c0", "+c1", "-c1", "+c2", "-c2"]);
  });

  test.each([0, -1, 1.5, 65, Number.NaN])("never %d at a time: that is refused at the start", async (count) => {
    for (const strategy of [
      { kind: "batched", size: count },
      { kind: "parallel", atOnce: count },
    ] as const)
      await expect(play([done], watched().gate, { strategy })).rejects.toThrow(AgentError);
  });
});

describe("of one turn", () => {
  test("calls of tools that do not count run beyond the 32, and nothing beyond the 128", async () => {
    let ran = 0;
    const count: RunToolCall = ({ id }) => ((ran += 1), Promise.resolve(callEnd(id)));
    const { messages } = await play([{ calls: many(140) }, done], count, { planCall: planned({ ...LOOK, countsTowardCallLimit: false }) });
    expect(ran).toBe(128);
    expect(brokenPairs(messages)).toEqual([]);
  });
});

describe("a tool whose failure makes the others pointless", () => {
  const failing = (command: string): CallEnd => {
    const end = callEnd(command);
    return command === "c1" ? { ...end, result: { ...end.result, isError: true } } : end;
  };
  const planCall: PlanCall = (call) => planned({ ...LOOK, abortsSiblingsOnError: commandOf(call) === "c1" })(call);

  test("cancels those that run, and those that were not begun never are", async () => {
    const begun: string[] = [];
    const gate: RunToolCall = async (call, { signal }) => {
      begun.push(commandOf(call));
      if (commandOf(call) === "c1") return failing("c1");
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return callEnd("stopped", "cancelled");
    };
    const { end, messages } = await play([{ calls: many(4) }, done], gate, { planCall, strategy: { kind: "parallel", atOnce: 2 } });
    expect(begun).toEqual(["c0", "c1"]);
    const aborted = "aborted because sibling 'shell' failed";
    expect(firstLines(resultTexts(messages))).toEqual([aborted, "c1", aborted, aborted]);
    expect(end.kind).toBe("done");
  });

  test("cancels nothing when it was denied: it did not fail", async () => {
    const gate: RunToolCall = (call) => Promise.resolve(commandOf(call) === "c1" ? callEnd("no", "denied") : callEnd("yes"));
    const { messages } = await play([{ calls: many(3) }, done], gate, { planCall, strategy: { kind: "sequential" } });
    expect(firstLines(resultTexts(messages))).toEqual(["yes", "no", "yes"]);
  });
});

describe("results that vote", () => {
  const voting =
    (votes: Readonly<Record<string, boolean>>) =>
    (command: string): CallEnd => {
      const end = callEnd(command);
      const terminate = votes[command];
      return terminate === undefined ? end : { ...end, result: { ...end.result, terminate } };
    };
  const asked = async (gate: RunToolCall, traits: Partial<ToolTraits> = LOOK, planCall: PlanCall = planned(traits)) =>
    (await play([{ calls: many(2) }, { say: "Asked again." }], gate, { planCall })).end;

  test("end the run when all that count say yes, and the model is not asked again", async () => {
    expect(await asked(watched(voting({ c0: true, c1: true })).gate)).toMatchObject({ kind: "done", turns: 1 });
  });

  test.each([
    ["one says nothing", voting({ c0: true })],
    ["one says no", voting({ c0: true, c1: false })],
    ["one was denied", (command: string) => (command === "c1" ? callEnd("no", "denied") : voting({ c0: true })(command))],
    ["one names no tool", (command: string) => (command === "c1" ? callEnd("no", "unknown-tool") : voting({ c0: true })(command))],
  ])("end nothing when %s", async (_what, end) => {
    expect(await asked(watched(end).gate)).toMatchObject({ turns: 2 });
  });

  test("of tools that only advise are no votes, neither for nor against", async () => {
    const advising: PlanCall = (call) => planned({ ...LOOK, countsTowardTermination: commandOf(call) === "c0" })(call);
    expect(await asked(watched(voting({ c0: true, c1: false })).gate, LOOK, advising)).toMatchObject({ turns: 1 });
    expect(await asked(watched(voting({ c0: true, c1: true })).gate, { ...LOOK, countsTowardTermination: false })).toMatchObject({ turns: 2 });
  });
});

describe("what a person says on the way", () => {
  test("skips the calls that were not begun, and reaches the model behind all results", async () => {
    const inbox = createInbox();
    const ran: string[] = [];
    const gate: RunToolCall = (call) => {
      ran.push(commandOf(call));
      if (ran.length === 1) inbox.steer("Stop that.");
      return Promise.resolve(callEnd("x"));
    };
    const { messages, events } = await play([{ calls: many(3) }, done], gate, { inbox });
    expect(ran).toEqual(["c0"]);
    expect(firstLines(resultTexts(messages)).slice(1)).toEqual(["Skipped due to queued user message.", "Skipped due to queued user message."]);
    expect(messages.map((message) => (message.kind === "user" ? message.text : message.kind))).toEqual(["Go.", "assistant", "tool", "Stop that.", "assistant"]);
    expect(events.flatMap((event) => (event.kind === "tool-result" ? [event.ending] : []))).toEqual(["executed", "skipped", "skipped"]);
  });

  test("waits for all calls that run at once", async () => {
    const inbox = createInbox();
    const { gate } = watched((command) => (inbox.steer(command), callEnd(command)));
    const { messages } = await play([{ calls: many(3) }, done], gate, { inbox, planCall: planned(LOOK) });
    expect(firstLines(resultTexts(messages))).toEqual(["c0", "c1", "c2"]);
    expect(messages.filter(({ kind }) => kind === "user")).toHaveLength(4);
  });

  test("when the model is done is its next message; what was queued for then comes after", async () => {
    const inbox = createInbox();
    inbox.followUp("And then?");
    inbox.steer("First this.");
    const { end, messages } = await play([{ say: "One." }, { say: "Two." }, { say: "Three." }], () => Promise.resolve(callEnd("x")), { inbox });
    expect(end).toMatchObject({ kind: "done", turns: 3, text: "Three." });
    expect(messages.flatMap((message) => (message.kind === "user" ? [message.text] : []))).toEqual(["Go.", "First this.", "And then?"]);
  });

  test("is not asked for when all results vote that the run is done", async () => {
    const inbox = createInbox();
    inbox.followUp("And then?");
    const end = callEnd("x");
    const { end: over } = await play([{ calls: many(1) }, done], () => Promise.resolve({ ...end, result: { ...end.result, terminate: true } }), { inbox });
    expect(over).toMatchObject({ kind: "done", turns: 1 });
    expect(inbox.takeFollowUps()).toEqual([{ text: "And then?" }]);
  });

  test("is kept with the run, and stands there when it goes on", async () => {
    const inbox = createInbox();
    inbox.steer("First this.");
    const { steps } = await play([{ say: "One." }, { say: "Two." }], () => Promise.resolve(callEnd("x")), { inbox });
    expect(steps.map(({ kind }) => kind)).toEqual(["message", "note", "message"]);
    expect(steps[1]).toMatchObject({ text: "First this.", isPersons: true });
  });
});
