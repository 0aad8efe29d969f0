/**
 * What a script adds to the calls that it makes: a thousand reads through gate, log and a container, called one after the other, and the same thousand by one
 * script; then both eight at a time. By turns, each first in every second round. Prints one JSON object: milliseconds for each thousand by the clock and of
 * processor time (this process and the isolate's, without the container), and the median of what the script's was as a multiple of the others' in the same
 * round, with all of these. Each measurement is also told as it ends. Needs Docker and the sandbox image.
 *
 *   npm run bench -- script [ROUNDS] [CALLS]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRun, type SandboxedRun } from "../../src/app/run/open.ts";
import { scriptsOf } from "../../src/app/scripts/run-script.ts";
import { readContext } from "../../src/app/setup/context.ts";
import { resultText } from "../../src/gate/gate.ts";
import { descendants } from "../../test/support/descendants.ts";
import { rowOf } from "../shared/samples.ts";

const CALLS = Number(process.argv[3] ?? "1000");
const AT_ONCE = 8;
const rounds = Number(process.argv[2] ?? "5");
const options = { signal: new AbortController().signal, emit: () => undefined };

let number = 0;
const nextId = (): string => `bench_${String((number += 1))}`;

type Cost = { readonly clockMs: number; readonly processorMs: number };
/** Gives the milliseconds that an isolate took. */
type Work = (run: SandboxedRun, atOnce: number) => Promise<number>;

/** Of the processes that this one started and that are still there: hundredths of a second (proc(5), stat: fields 14 and 15). */
function childrenMs(): number {
  const fields = descendants(process.pid).map(
    ({ pid }) =>
      readFileSync(`/proc/${String(pid)}/stat`, "utf8")
        .split(") ")[1]
        ?.split(" ") ?? [],
  );
  return fields.flatMap((each) => each.slice(11, 13)).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

async function costOf(work: Work, run: SandboxedRun, atOnce: number): Promise<Cost> {
  const [startedMs, used] = [performance.now(), process.cpuUsage()];
  const isolateMs = await work(run, atOnce);
  const { user, system } = process.cpuUsage(used);
  const cost = { clockMs: performance.now() - startedMs, processorMs: (user + system) / 1000 + isolateMs };
  process.stderr.write(`${JSON.stringify({ work: work.name, atOnce, ...cost, isolateMs })}\n`);
  return cost;
}

const called: Work = async ({ gate }, atOnce) => {
  const work = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const end = await gate.runToolCall({ id: nextId(), name: "read_file", input: { path: `f${String(index % 10)}` } }, options);
      if (end.kind !== "executed" || end.result.isError) throw new Error(resultText(end.result));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, () => work(CALLS / atOnce)));
  return 0;
};

const byScript: Work = async ({ gate, records, id: runId, tools }, atOnce) => {
  const { planCall, seen } = gate;
  const othersMs = childrenMs();
  let made = 0;
  let isolateMs = 0;
  const runToolCall: typeof gate.runToolCall = async (call, given) => {
    // The isolate is killed at its end, and what a killed process used is told to nobody.
    if ((made += 1) === CALLS) isolateMs = childrenMs() - othersMs;
    return await gate.runToolCall(call, given);
  };
  const runScript = scriptsOf({ audit: records.audit, runId, functions: tools.names, runToolCall, planCall, seen, answerOfBegun: () => null });
  const work = `async () => { for (let index = 0; index < ${String(CALLS / atOnce)}; index += 1) await tools.read_file({ path: "f" + (index % 10) }); }`;
  const code = `await Promise.all(Array.from({ length: ${String(atOnce)} }, ${work})); return "all";`;
  const end = await gate.runToolCall({ id: nextId(), name: "script", input: { code } }, { ...options, runScript });
  if (!resultText(end.result).includes(`returned: "all"\n(${String(CALLS)} calls)`)) throw new Error(resultText(end.result));
  return isolateMs;
};

const rounded = (value: number): number => Math.round(value * 100) / 100;

function ratios(of: keyof Cost, rounds: readonly (readonly [plain: Cost, scripted: Cost])[]): { readonly median: number; readonly all: readonly number[] } {
  const all = rounds.map(([plain, scripted]) => rounded(scripted[of] / plain[of])).toSorted((left, right) => left - right);
  const middle = (all.length - 1) / 2;
  return { median: rounded(((all[Math.floor(middle)] ?? 0) + (all[Math.ceil(middle)] ?? 0)) / 2), all };
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
      await costOf(called, run, atOnce);
      await costOf(byScript, run, atOnce);
      const costs: (readonly [plain: Cost, scripted: Cost])[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const scriptedFirst = round % 2 === 1 ? await costOf(byScript, run, atOnce) : null;
        const plain = await costOf(called, run, atOnce);
        costs.push([plain, scriptedFirst ?? (await costOf(byScript, run, atOnce))]);
      }
      const row = (of: keyof Cost) => ({
        calls: rowOf(costs.map(([cost]) => cost[of])),
        script: rowOf(costs.map(([, cost]) => cost[of])),
        ratio: ratios(of, costs),
      });
      figures[`atOnce${String(atOnce)}`] = { clock: row("clockMs"), processor: row("processorMs") };
    }
    process.stdout.write(`${JSON.stringify({ calls: CALLS, rounds, ...figures })}\n`);
  } finally {
    await run.end("done");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
