import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { answerApproval } from "../../../src/approvals/approval.ts";
import { answerOfBegun } from "../../../src/app/run/interrupted-call.ts";
import { scriptsOf } from "../../../src/app/scripts/run-script.ts";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { AgentError } from "../../../src/base/errors.ts";
import { createGate, type Gate } from "../../../src/gate/create-gate.ts";
import type { CallEnd, RunToolCall } from "../../../src/gate/gate.ts";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import { defineTool } from "../../../src/tools/contract/define.ts";
import { BUILT_IN_TOOLS, createRegistry, isCallableInScripts } from "../../../src/tools/registry.ts";
import { until } from "../../support/until.ts";
import { policyText, scene, type Scene, textOf } from "../../gate/gate-scene.ts";

/** Runs a script as the call `id` of a run, in a gate of its own: as if each were another process. */
async function play(
  made: Scene,
  code: string,
  options: { id?: string; input?: object; signal?: AbortSignal; change?: Partial<GateParts>; runToolCall?: RunToolCall; name?: string; gates?: Gate[] } = {},
): Promise<CallEnd> {
  const parts = { ...made.parts, ...options.change };
  const gate = createGate(parts);
  const { audit, runId } = parts;
  const runScript = scriptsOf({
    audit,
    runId,
    functions: createRegistry()
      .names.filter(isCallableInScripts)
      .concat(parts.tools.find("probe") === undefined ? [] : ["probe"]),
    runToolCall: options.runToolCall ?? gate.runToolCall,
    planCall: gate.planCall,
    seen: gate.seen,
    answerOfBegun: (call) => answerOfBegun(audit, runId, call),
  });
  const call = { id: options.id ?? "call-script", name: options.name ?? "script", input: options.input ?? { code } };
  options.gates?.push(gate);
  return await gate.runToolCall(call, { signal: options.signal ?? new AbortController().signal, emit: (event) => void made.events.push(event), runScript });
}

const FULL = policyText({ autonomy: "full" });

test("each call of a script is judged, carried out and recorded by itself, below the script's own", async () => {
  const made = scene({ policy: `${FULL}tools: { deny: [write_file] }\n` });
  for (const name of ["one.txt", "two.txt"]) writeFileSync(join(made.workspace, name), `${name}\n`);
  const end = await play(
    made,
    `const texts = await Promise.all(["one.txt", "two.txt", "/etc/shadow"].map((path) => tools.read_file({ path }).catch((error) => error.name + ": " + error.message)));
     const refused = await tools.write_file({ path: "three.txt", content: "" }).catch((error) => [error instanceof ToolError, error.tool, error.message]);
     const wrong = await tools.read_file({ path: 1 }).catch((error) => error.message);
     const nested = [typeof tools.script, typeof tools.plan_done, typeof tools.structured_output];
     console.log("said", nested);
     return { texts, refused, wrong };`,
  );
  const text = textOf(end);
  expect(text).toContain("one.txt: lines 1-1 of 1");
  expect(text).toContain('[true,"write_file","Denied by rule tool-denied');
  expect(text).toContain("Invalid arguments for read_file: path");
  expect(text).toContain('printed:\nsaid ["undefined","undefined","undefined"]\n(5 calls; 3 of them failed)');
  expect(end.result.label).toBe("untrusted");
  const rulings = made.records("ruling").map(({ payload }) => [payload["call"], payload["tool"], payload["verdict"]]);
  expect(rulings).toEqual(
    expect.arrayContaining([
      ["call-script", "script", "allow"],
      ["call-script.0", "read_file", "allow"],
      ["call-script.1", "read_file", "allow"],
      ["call-script.2", "read_file", "deny"],
      ["call-script.3", "write_file", "deny"],
    ]),
  );
  expect(existsSync(join(made.workspace, "three.txt"))).toBe(false);
  // What came of its calls counts for the run, as that of a sub-agent does.
  expect(end.delegated?.[0]).toMatchObject({ hasLooked: true, hasChanged: false, refusals: [{ rule: expect.any(String) }, { rule: "tool-denied" }] });
});

test("calls of a script run beside each other, at most eight, in their order where they must", async () => {
  let now = 0;
  let most = 0;
  const probe = defineTool({
    name: "probe",
    description: "",
    schema: z.object({}),
    traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only" },
    execute: async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      return "";
    },
  });
  const made = scene({ policy: `${FULL}tools: { allow: ["*"] }\n`, change: () => ({ tools: createRegistry([...BUILT_IN_TOOLS, probe]) }) });
  expect(textOf(await play(made, "await Promise.all(Array.from({ length: 40 }, () => tools.probe())); return 1"))).toContain("returned: 1\n(40 calls)");
  expect(most).toBe(8);
  const shell = (letter: string): string => `tools.shell({ command: "sleep 0.0${letter === "a" ? 3 : 1}; echo ${letter} >> order.txt" })`;
  await play(made, `await Promise.all([${["a", "b", "c"].map(shell).join(",")}])`, { id: "call-order" });
  expect(readFileSync(join(made.workspace, "order.txt"), "utf8")).toBe("a\nb\nc\n");
});

const ASKS = `${policyText({ autonomy: "full" })}commands: { effects: { deletes: ask } }\n`;
const CLEANS = `const began = [Date.now(), Math.random()];
  const before = await tools.shell({ command: "echo x >> log.txt; cat log.txt" });
  await tools.read_file({ path: "log.txt" });
  const removed = await tools.shell({ command: "rm old.txt" }).catch((error) => error.message);
  const after = await tools.shell({ command: "ls; cat log.txt" });
  await tools.edit_file({ path: "log.txt", old_string: "x", new_string: "z" });
  return { began, before, removed, after };`;

test("an ask in a script parks it; once it is answered the script goes on from the answers that it had", async () => {
  const made = scene({ policy: ASKS });
  writeFileSync(join(made.workspace, "old.txt"), "");
  const change = { asking: "park" as const };
  const parked = await play(made, CLEANS, { change });
  expect(parked).toMatchObject({ kind: "parked", approvalId: expect.any(String) });
  // Nobody has answered: it still waits, and repeats nothing.
  expect(await play(made, CLEANS, { change })).toMatchObject({ kind: "parked", approvalId: parked.approvalId });
  expect(readFileSync(join(made.workspace, "log.txt"), "utf8")).toBe("x\n");
  const began = made.records("ruling").find(({ payload }) => payload["call"] === "call-script.2");
  expect(began?.payload["verdict"]).toBe("ask");
  const receipt = answerApproval({ store: made.store, clock: made.clock }, parked.approvalId ?? "", { kind: "granted", scope: "once", by: "ann@test" });
  expect(receipt.kind).toBe("taken");
  made.clock.advance(1000);
  const end = await play(made, CLEANS, { change });
  const result = /^returned: (.*)$/mu.exec(textOf(end))?.[1] ?? textOf(end);
  expect(JSON.parse(result)).toMatchObject({ removed: expect.stringContaining("exit code: 0"), after: expect.stringContaining("log.txt\nx\n") });
  expect(existsSync(join(made.workspace, "old.txt"))).toBe(false);
  // What it had read before it may still change, and what it had seen is remembered.
  expect(readFileSync(join(made.workspace, "log.txt"), "utf8")).toBe("z\n");
  const asked = made.records("ruling").findLast(({ payload }) => payload["call"] === "call-script.2");
  expect(JSON.stringify(asked?.payload["seen"])).toContain("untrusted");
  // Once for each call: what had its answer was not ruled on again.
  expect(made.records("permit-spent").map(({ payload }) => payload["call"])).toEqual(["0", "1", "2", "3", "4", "4"].map((number) => `call-script.${number}`));
});

test("a script that goes another way when it runs again ends, and does nothing again", async () => {
  const made = scene({ policy: ASKS });
  writeFileSync(join(made.workspace, "old.txt"), "");
  const change = { asking: "park" as const };
  expect((await play(made, CLEANS, { change })).kind).toBe("parked");
  const end = await play(made, CLEANS.replaceAll("echo x", "echo y"), { change });
  expect(textOf(end)).toContain("failed: It was interrupted, and went another way when it ran again: its call 1 is not the one that was answered then.");
  expect(readFileSync(join(made.workspace, "log.txt"), "utf8")).toBe("x\n");
});

test("what may have happened before its answer was kept is told to the script, and never done again", async () => {
  const made = scene({ policy: ASKS });
  writeFileSync(join(made.workspace, "old.txt"), "");
  expect((await play(made, CLEANS, { change: { asking: "park" } })).kind).toBe("parked");
  // As a process leaves it that is killed once the permit is on disk.
  const record = { kind: "permit-spent", call: "call-script.2", ruling: "0", action: "0", does: "exec", target: {} } as const;
  appendAudit(made.parts.audit, { run: made.parts.runId, payload: record });
  const end = await play(made, CLEANS, { change: { asking: "park" } });
  expect(textOf(end)).toContain("Interrupted: Warder ended while this was under way (exec");
  expect(existsSync(join(made.workspace, "old.txt"))).toBe(true);
});

test("calls that a script does not await end before it, or are not begun", async () => {
  const made = scene({ policy: FULL });
  const end = await play(
    made,
    `for (const name of ["a", "b"]) tools.shell({ command: "echo " + name + " >> order.txt" }); await tools.list_files({}).catch(() => 0); return 1`,
  );
  expect(textOf(end)).toMatch(/returned: 1\n\(\d calls/u);
  const late = await play(made, `tools.shell({ command: "sleep 0.1; touch one" }); tools.shell({ command: "touch two" }); return 1`, { id: "call-late" });
  expect(textOf(late)).toContain("2 were not begun, as the script was over");
  expect(existsSync(join(made.workspace, "two"))).toBe(false);
});

test("what a script began and did not await is not called never begun when it goes on after an interruption", async () => {
  const made = scene({ policy: FULL });
  for (const name of ["one.txt", "two.txt"]) writeFileSync(join(made.workspace, name), name);
  const code = `tools.read_file({ path: "one.txt" }); await tools.read_file({ path: "two.txt" }); return 1`;
  const gates: Gate[] = [];
  let hasRead = false;
  const dying: RunToolCall = async (call, given) => {
    if (call.id === "call-late.0") {
      appendAudit(made.parts.audit, {
        run: made.parts.runId,
        payload: { kind: "permit-spent", call: call.id, ruling: "0", action: "0", does: "exec", target: {} },
      });
      await until("the other has been read", () => hasRead);
      throw new AgentError("audit-unavailable", "The disk is full.");
    }
    const end = await (gates[0] as Gate).runToolCall(call, given);
    hasRead = true;
    return end;
  };
  await expect(play(made, code, { id: "call-late", gates, runToolCall: dying })).rejects.toThrow("The disk is full.");
  expect(textOf(await play(made, code, { id: "call-late" }))).toContain("returned: 1\n(1 calls; 1 were begun and not awaited)");
});

test("a script that is cancelled before its process is there does nothing", async () => {
  const { parts, clock } = scene({ policy: FULL });
  const gate = createGate(parts);
  const cancel = new AbortController();
  const called: unknown[] = [];
  const runToolCall: RunToolCall = (call) => Promise.reject(new AgentError("broken-invariant", `${called.push(call)} was called`));
  const functions = ["list_files"];
  const run = scriptsOf({
    audit: parts.audit,
    runId: parts.runId,
    functions,
    runToolCall,
    planCall: gate.planCall,
    seen: gate.seen,
    answerOfBegun: () => null,
  });
  const of = { callId: "call-early", signal: cancel.signal, emit: () => undefined, recall: () => undefined };
  const going = run({ code: "await tools.list_files({}); return 1", nowMs: clock.nowMs() }, of);
  // In the same moment: the process is on its way.
  cancel.abort();
  expect(await going).toMatchObject({ end: { kind: "ended", value: null, problem: "It was cancelled." } });
  expect(called).toEqual([]);
});

test("a script that is cancelled ends with what it began; one that cannot be recorded ends the run", async () => {
  const made = scene({ policy: FULL });
  const cancel = new AbortController();
  const going = play(made, `await tools.shell({ command: "sleep 20" }); return 1`, { signal: cancel.signal });
  await until("its call has begun", () => made.events.some((event) => event.kind === "tool-start" && event.callId === "call-script.0"));
  cancel.abort();
  expect((await going).result.isError).toBe(true);
  const spinning = new AbortController();
  const loop = play(made, "for (;;);", { id: "call-loop", signal: spinning.signal });
  await until("the script has begun", () => made.events.some((event) => event.kind === "tool-start" && event.callId === "call-loop"));
  spinning.abort();
  expect(textOf(await loop)).toMatch(/cancelled/iu);
  const broken = (): Promise<CallEnd> => Promise.reject(new AgentError("audit-unavailable", "The disk is full."));
  await expect(play(made, "return await tools.list_files({}).catch(() => 1)", { id: "call-fault", runToolCall: broken })).rejects.toThrow("The disk is full.");
});

test("only the call of a script runs one, and only the one that was judged", async () => {
  const starts: unknown[] = [];
  const other = defineTool({
    name: "probe",
    description: "",
    schema: z.object({}),
    execute: async (_input, { handles }) => JSON.stringify(starts[starts.push(await handles.scripts.run({ code: "return 1" })) - 1]),
  });
  const made = scene({ policy: `${FULL}tools: { allow: ["*", probe] }\n`, change: () => ({ tools: createRegistry(BUILT_IN_TOOLS, [other]) }) });
  expect(textOf(await play(made, "", { name: "probe", input: {} }))).toContain("Not started: the call did not ask for this script.");
  expect(textOf(await made.call("script", { code: "return 1" }))).toBe("Not started: there are no scripts here.");
});
