/**
 * What the loop itself costs: calls of a tool that does nothing, by a model in this process. Milliseconds for each call, calls one in a turn and ten in a turn,
 * and bytes of memory for each turn between the 500th and the last, once what is unused was collected, of a conversation that is summed up on its way. Then
 * turns of one read and of ten through gate, log, journal and a container, by turns: milliseconds for each turn, and ten as a multiple of one. Prints one JSON
 * object. The reads need Docker and the sandbox image.
 *
 *   npm run bench -- loop [TURNS]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { runAgent } from "../../src/agent/loop.ts";
import { journalOf } from "../../src/app/run/journal.ts";
import { openRun } from "../../src/app/run/open.ts";
import { readContext } from "../../src/app/setup/context.ts";
import { systemClock } from "../../src/base/clock.ts";
import { DEFAULT_TRAITS } from "../../src/tools/contract/traits.ts";
import { callEnd, planned } from "../../test/support/agent-run.ts";
import { modelInProcess } from "../../test/support/model-in-process.ts";
import { rowOf } from "../shared/samples.ts";

const WARM_UP = 500;
const COMPACT_AT = 20_000;
const turns = Number(process.argv[2] ?? "2000");
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The loop's own time between two requests, for each call; and the memory in use at the 500th turn and the last. */
async function run(callsInTurn: number): Promise<{ readonly row: ReturnType<typeof rowOf>; readonly bytesPerTurn: number }> {
  const times: number[] = [];
  let sent = 0;
  let atWarm = 0;
  let atEnd = 0;
  let lastMs = 0;
  await runAgent({
    runId: "run-bench",
    task: "Go.",
    workspace: "/repo",
    provider: modelInProcess(
      (request) => {
        const usage = { inputTokens: Math.ceil(JSON.stringify(request.messages).length / 4) };
        lastMs = performance.now();
        // A summary, or the end.
        if (request.tools.length === 0 || sent > turns) return { text: "Done.", usage };
        const call = (index: number) => ({ callId: `c${String(sent)}_${String(index)}`, name: "noop", inputText: `{"n":${String(sent)}}` });
        return { calls: Array.from({ length: callsInTurn }, (_, index) => call(index)), usage };
      },
      ({ tools }) => {
        if (tools.length === 0) return;
        if (sent > 0) times.push((performance.now() - lastMs) / callsInTurn);
        sent += 1;
        // What follows a signal is forgotten by it in a task after a collection, so each measurement needs two.
        if (sent === WARM_UP - 2 || sent === turns - 2) collect();
        if (sent !== WARM_UP && sent !== turns) return;
        collect();
        const { heapUsed } = process.memoryUsage();
        if (sent === WARM_UP) atWarm = heapUsed;
        else atEnd = heapUsed;
      },
    ),
    systemPrompt: "",
    tools: () => [{ name: "noop", description: "", inputSchema: {} }],
    // A turn of the event loop, as whatever does something takes: what only weak references hold is not freed before.
    runToolCall: async ({ id }) => {
      await setImmediate(null);
      return callEnd(`done ${id}`);
    },
    planCall: planned({ exclusiveSandbox: false, parallelSafe: true, tier: "read-only" }),
    traitsOf: () => ({ ...DEFAULT_TRAITS, history: { isCompactable: true, pinsActivePlan: false } }),
    history: { compactAtTokens: COMPACT_AT },
    limits: { turns: turns + 2, tokens: 1e12, minutes: 60 },
    signal: new AbortController().signal,
    emit: () => undefined,
    clock: systemClock,
    journal: { record: () => undefined },
  });
  if (sent !== turns + 1) throw new Error(`The run ended at request ${String(sent)}.`);
  return { row: rowOf(times), bytesPerTurn: Math.round((atEnd - atWarm) / (turns - WARM_UP)) };
}

const READ_ROUNDS = 100;
const READS = 10;

/** A turn of one read, then one of ten, again and again, over a real container: each is timed from the model's answer to its next request. */
async function reads(): Promise<{ readonly one: ReturnType<typeof rowOf>; readonly ten: ReturnType<typeof rowOf>; readonly ratio: number }> {
  const folder = mkdtempSync("/var/tmp/warder-bench-");
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  for (let index = 0; index < READS; index += 1) writeFileSync(join(workspace, `f${String(index)}`), `content of ${String(index)}\n`);
  process.env["WARDER_HOME"] = join(folder, "state");
  const times: { readonly one: number[]; readonly ten: number[] } = { one: [], ten: [] };
  try {
    const opened = await openRun(readContext("unattended", workspace), { task: null, model: null, isScripted: false, canAsk: false });
    try {
      let lastMs = 0;
      const { messages } = await runAgent({
        runId: opened.id,
        task: "Go.",
        workspace,
        provider: modelInProcess(
          (_request, answers) => {
            const count = answers >= 2 * READ_ROUNDS ? 0 : answers % 2 === 0 ? 1 : READS;
            lastMs = performance.now();
            return {
              calls: Array.from({ length: count }, (_, index) => ({
                callId: `c${String(answers)}_${String(index)}`,
                name: "read_file",
                inputText: `{"path":"f${String(index)}"}`,
              })),
            };
          },
          ({ messages: so }) => {
            const answers = so.filter(({ kind }) => kind === "assistant").length;
            if (answers > 0) times[answers % 2 === 1 ? "one" : "ten"].push(performance.now() - lastMs);
          },
        ),
        systemPrompt: "",
        tools: () => [],
        runToolCall: opened.gate.runToolCall,
        planCall: opened.gate.planCall,
        traitsOf: opened.gate.traitsOf,
        limits: { turns: 2 * READ_ROUNDS + 2, tokens: 1e12, minutes: 60 },
        signal: new AbortController().signal,
        emit: () => undefined,
        clock: systemClock,
        journal: journalOf({ audit: opened.records.audit, runId: opened.id }, opened.gate.seen, () => "test:model"),
      });
      const results = messages.flatMap((message) => (message.kind === "tool" ? message.results : []));
      if (results.length !== READ_ROUNDS * (READS + 1) || results.some(({ isError }) => isError))
        throw new Error(`${String(results.length)} reads, not all well.`);
    } finally {
      await opened.end("done");
    }
    const [one, ten] = [rowOf(times.one), rowOf(times.ten)];
    return { one, ten, ratio: Math.round((ten.p50Ms / one.p50Ms) * 100) / 100 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.stdout.write(`${JSON.stringify({ turns, oneCall: await run(1), tenCalls: await run(10), reads: await reads() })}\n`);
