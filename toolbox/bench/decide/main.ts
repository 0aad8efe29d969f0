/**
 * What a decision costs, beside what others cost in the same run, turn by turn: the full decision about a command text (parse, analyse,
 * decide; the facts are prepared, so there is no I/O in it), the same with its explanation, the bare parser, Cedar's evaluation of a
 * trivial policy set that was parsed before, and a process of `bash -n`; the longest texts at their worst; the start of `warder check`.
 *
 *   npm run bench -- decide [--json] [--policy NAME] [--quick]
 *   npm run bench -- decide --fuzz-seconds N [--seed S]      bytes that nobody wrote: what throws, and what is slow
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { preparsePolicySet, statefulIsAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import { parse } from "unbash";
import { fuzzBytes } from "./byte-fuzz.ts";
import { BARE, CHECK, measureColdStart } from "./cold-start.ts";
import { createScene, type Scene } from "./scene.ts";
import { rowOf, timed, undisturbed, type Row } from "../../shared/samples.ts";
import { TYPICAL_COMMANDS } from "./typical-commands.ts";
import { worstInputs } from "./worst-inputs.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    policy: { type: "string", default: "operator" },
    "fuzz-seconds": { type: "string" },
    seed: { type: "string" },
  },
});

type Rows = Record<string, Row>;
type Figures = Record<string, number | string>;

const DECISION = "decision, typical commands";
const EXPLAINED = "decision with explanation";
const PARSER = "bare parser (unbash)";
const CEDAR = "Cedar, trivial policy, preparsed";
const BASH = "bash -n, a process each";

/** So many rounds until a round costs what the next one does: until then V8 compiles what is often run once more (docs/measurements/decide.md). Cedar comes compiled. */
const WARM_ROUNDS = 1000;

function cedarEvaluation(): () => unknown {
  preparsePolicySet("trivial", { staticPolicies: "permit(principal, action, resource);" });
  const call = {
    principal: { type: "Agent", id: "a" },
    action: { type: "Action", id: "shell" },
    resource: { type: "Command", id: "ls" },
    context: {},
    preparsedPolicySetId: "trivial",
    entities: [],
  };
  return () => {
    const answer = statefulIsAuthorized(call);
    if (answer.type !== "success" || answer.response.decision !== "allow") throw new Error(JSON.stringify(answer));
    return answer;
  };
}

function measureTypical(scene: Scene, rounds: number): { readonly rows: Rows; readonly quiet: Figures } {
  const cedar = cedarEvaluation();
  const ways: Readonly<Record<string, (text: string) => unknown>> = {
    [DECISION]: (text) => scene.decide(text),
    [EXPLAINED]: (text) => scene.explain(text),
    [PARSER]: (text) => parse(text),
    [CEDAR]: () => cedar(),
  };
  for (const text of TYPICAL_COMMANDS) scene.prepare(text);
  for (let warm = 0; warm < WARM_ROUNDS; warm += 1) for (const way of Object.values(ways)) for (const text of TYPICAL_COMMANDS) way(text);
  const times = new Map(Object.keys(ways).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, way] of Object.entries(ways)) for (const text of TYPICAL_COMMANDS) times.get(name)?.push(timed(() => way(text)));
  const rows: Rows = Object.fromEntries([...times].map(([name, measured]) => [name, rowOf(measured)]));
  const texts = TYPICAL_COMMANDS.filter((_text, index) => index % 10 === 0);
  rows[BASH] = rowOf(texts.map((text) => timed(() => spawnSync("bash", ["-n"], { input: text }))));
  const [decision = 0, other = 1] = [DECISION, CEDAR].map((name) => undisturbed(times.get(name) ?? [], TYPICAL_COMMANDS.length) * 1000);
  const quiet = {
    "undisturbed: decision, us": Number(decision.toFixed(2)),
    "undisturbed: Cedar, us": Number(other.toFixed(2)),
    "undisturbed: decision / Cedar": Number((decision / other).toFixed(2)),
  };
  return { rows, quiet };
}

function measureWorst(scene: Scene, rounds: number): { readonly rows: Rows; readonly worst: string; readonly worstMs: number } {
  const inputs = worstInputs();
  const times = new Map(inputs.map(({ name }): [string, number[]] => [name, []]));
  for (const { text } of inputs) scene.prepare(text);
  for (let round = 0; round < rounds; round += 1) for (const { name, text } of inputs) times.get(name)?.push(timed(() => scene.decide(text)));
  const ordered = [...times].toSorted(([, one], [, other]) => Math.max(...other) - Math.max(...one));
  const rows: Rows = Object.fromEntries(ordered.slice(0, 8).map(([name, measured]) => [`16 KiB of ${name}`, rowOf(measured)]));
  rows["16 KiB, all bombs"] = rowOf([...times.values()].flat());
  const long = "ls -la; ".repeat(2 ** 17);
  rows["1 MiB, refused"] = rowOf(Array.from({ length: 20 }, () => timed(() => scene.decide(long))));
  const [worst, measured] = ordered[0] ?? ["", [0]];
  return { rows, worst, worstMs: Math.max(...measured) };
}

function figuresOf(rows: Rows): Figures {
  const p50 = (name: string): number => rows[name]?.p50Ms ?? Number.NaN;
  const ratio = (one: string, other: string): number => Number((p50(one) / p50(other)).toFixed(2));
  return {
    "decision p50, us": Number((p50(DECISION) * 1000).toFixed(2)),
    "decision / Cedar, p50": ratio(DECISION, CEDAR),
    "decision / parser, p50": ratio(DECISION, PARSER),
    "bash -n / decision, p50": Math.round(p50(BASH) / p50(DECISION)),
    "warder check / node -e 0, p50": ratio(CHECK, BARE),
    "typical commands": TYPICAL_COMMANDS.length,
  };
}

function print(rows: Rows, figures: Figures): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ rows, figures })}\n`);
    return;
  }
  for (const [name, row] of Object.entries(rows)) process.stdout.write(`${name.padEnd(36)} p50 ${shown(row.p50Ms)}   p95 ${shown(row.p95Ms)}   n ${row.n}\n`);
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${value}\n`);
}

function shown(milliseconds: number): string {
  return milliseconds < 1 ? `${(milliseconds * 1000).toFixed(2).padStart(8)} us` : `${milliseconds.toFixed(2).padStart(8)} ms`;
}

function fuzz(scene: Scene, seconds: number): void {
  const seed = Number(options.seed ?? Date.now() % 2 ** 31);
  const report = fuzzBytes(scene, TYPICAL_COMMANDS, { seconds, seed });
  const figures = {
    seed,
    cases: report.cases,
    faults: report.faults.length,
    slowestMs: Number(report.slowestMs.toFixed(2)),
    slowestCharacters: report.slowest.length,
  };
  print({}, figures);
  process.stderr.write(`the slowest begins with ${JSON.stringify(report.slowest.slice(0, 400))}\n`);
  for (const { what, input } of report.faults) process.stderr.write(`${what}\n  ${JSON.stringify(input)}\n`);
  if (report.faults.length > 0) process.exitCode = 1;
}

const scene = createScene(options.policy);
if (options["fuzz-seconds"] !== undefined) fuzz(scene, Number(options["fuzz-seconds"]));
else {
  const { rows: typical, quiet } = measureTypical(scene, options.quick ? 20 : 100);
  const { rows: worstRows, worst, worstMs } = measureWorst(scene, options.quick ? 1 : 3);
  const { rows: starts, isBundled } = measureColdStart(options.quick ? 5 : 20);
  const rows = { ...typical, ...worstRows, ...starts };
  print(rows, {
    ...figuresOf(rows),
    ...quiet,
    "warder check starts from": isBundled ? "its bundle" : "its sources",
    "worst of 16 KiB, ms": Number(worstMs.toFixed(1)),
    "worst of 16 KiB, token": worst,
  });
}
