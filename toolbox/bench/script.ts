/**
 * What a script adds to the calls that it makes: a thousand reads through gate, log and a container, called one after the other, and the same thousand by one
 * script; then both eight at a time. By turns, a few rounds. Prints one JSON object: milliseconds for each thousand, and the script's as a multiple of the
 * others'. Needs Docker and the sandbox image.
 *
 *   npm run bench -- script [ROUNDS]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRun, type SandboxedRun } from "../../src/app/run/open.ts";
import { scriptsOf } from "../../src/app/scripts/run-script.ts";
import { readContext } from "../../src/app/setup/context.ts";
import { resultText } from "../../src/gate/gate.ts";
import { rowOf } from "../shared/samples.ts";

const CALLS = 1000;
const AT_ONCE = 8;
const rounds = Number(process.argv[2] ?? "5");
const options = { signal: new AbortController().signal, emit: () => undefined };

let number = 0;
const nextId = (): string => `bench_${String((number += 1))}`;

async function called({ gate }: SandboxedRun, atOnce: number): Promise<number> {
  const startedMs = performance.now();
  const work = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const end = await gate.runToolCall({ id: nextId(), name: "read_file", input: { path: `f${String(index % 10)}` } }, options);
      if (end.kind !== "executed" || end.result.isError) throw new Error(resultText(end.result));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, () => work(CALLS / atOnce)));
  return performance.now() - startedMs;
}

async function byScript({ gate, records, id: runId, tools }: SandboxedRun, atOnce: number): Promise<number> {
  const startedMs = performance.now();
  const { runToolCall, planCall, seen } = gate;
  const runScript = scriptsOf({ audit: records.audit, runId, functions: tools.names, runToolCall, planCall, seen, answerOfBegun: () => null });
  const work = `async () => { for (let index = 0; index < ${String(CALLS / atOnce)}; index += 1) await tools.read_file({ path: "f" + (index % 10) }); }`;
  const code = `await Promise.all(Array.from({ length: ${String(atOnce)} }, ${work})); return "all";`;
  const end = await runToolCall({ id: nextId(), name: "script", input: { code } }, { ...options, runScript });
  if (!resultText(end.result).includes(`returned: "all"\n(${String(CALLS)} calls)`)) throw new Error(resultText(end.result));
  return performance.now() - startedMs;
}

const folder = mkdtempSync("/var/tmp/warder-bench-");
const workspace = join(folder, "workspace");
mkdirSync(workspace);
for (let index = 0; index < 10; index += 1) writeFileSync(join(workspace, `f${String(index)}`), `content of ${String(index)}\n`);
process.env["WARDER_HOME"] = join(folder, "state");
try {
  const run = await openRun(readContext("unattended", workspace), { task: null, model: null, isScripted: false, canAsk: false });
  try {
    const figures: Record<string, unknown> = {};
    for (const atOnce of [1, AT_ONCE]) {
      const [plain, scripted]: [number[], number[]] = [[], []];
      await called(run, atOnce);
      for (let round = 0; round < rounds; round += 1) {
        plain.push(await called(run, atOnce));
        scripted.push(await byScript(run, atOnce));
      }
      const rows = { calls: rowOf(plain), script: rowOf(scripted) };
      figures[`atOnce${String(atOnce)}`] = { ...rows, ratio: Math.round((rows.script.p50Ms / rows.calls.p50Ms) * 100) / 100 };
    }
    process.stdout.write(`${JSON.stringify({ calls: CALLS, rounds, ...figures })}\n`);
  } finally {
    await run.end("done");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
