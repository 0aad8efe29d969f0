/**
 * The process of one isolate. Its channel is standard input and output, one JSON text a line: first an order, then answers; it says calls, when it waits, and
 * its end. A script runs only between an answer and the next wait, so what it does depends on its code and on the order of its answers alone.
 */
import type ivm from "isolated-vm";
import { PRELUDE } from "./prelude.ts";
import type { IsolateAnswer, IsolateMessage, IsolateOrder } from "./protocol.ts";

type Isolated = typeof ivm;

const addon: { exports: { ivm?: Isolated } } = { exports: {} };
process.dlopen(addon, process.argv[2] ?? "");
const { Isolate, Callback } = addon.exports.ivm ?? (addon.exports as Isolated);

/** However much of a trace there is. */
const MAX_PROBLEM = 8000;
const PRINTED_CUT = "\n[more was printed, and dropped]";

const say = (message: IsolateMessage): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

type Work = { readonly begin: () => void; readonly answer: (answer: IsolateAnswer) => void; readonly usedMs: () => number };

function prepare(order: IsolateOrder, told: { end: (value: string | null, problem: string | null) => void; print: (text: string) => void }): Work {
  const { limits } = order;
  const isolate = new Isolate({
    memoryLimit: limits.memoryMb,
    // The isolate is in no state to go on, and so is this process.
    onCatastrophicError: () => process.abort(),
  });
  const usedMs = (): number => Number(isolate.cpuTime / 1_000_000n);
  const left = (): number => Math.max(1, limits.cpuMs - usedMs());
  const context = isolate.createContextSync();
  const callback = (act: (...given: unknown[]) => void) => new Callback(act, { sync: true });
  const setup = context.evalClosureSync(
    PRELUDE,
    [
      callback((call, name, input) => say({ kind: "call", call: Number(call), name: String(name), input: String(input) })),
      callback((value, problem) => told.end(textIn(value), textIn(problem))),
      callback((text) => told.print(String(text))),
      JSON.stringify(order),
    ],
    { result: { reference: true }, timeout: left() },
  );
  const begin = setup.getSync("begin", { reference: true });
  const answer = setup.getSync("answer", { reference: true });
  return {
    usedMs,
    begin: () => {
      const main = isolate.compileScriptSync(`(async () => { "use strict";\n${order.code}\n})`, { filename: "script", lineOffset: -1 });
      const made = main.runSync(context, { timeout: left(), reference: true });
      begin.applySync(undefined, [made.derefInto()], { timeout: left() });
    },
    answer: ({ call, isError, text, nowMs }) => void answer.applySync(undefined, [call, isError, text, nowMs], { timeout: left() }),
  };
}

const textIn = (given: unknown): string | null => (typeof given === "string" ? given : null);

/** A trace of the script, without the lines of what it runs in. */
function ownTrace(text: string): string {
  const lines = text.split("\n").filter((line) => !line.includes("<isolated-vm>"));
  return lines.join("\n").slice(0, MAX_PROBLEM);
}

function serve(order: IsolateOrder): (answer: IsolateAnswer) => void {
  const { printedCharacters, resultCharacters, cpuMs } = order.limits;
  let printed = "";
  let hasEnded = false;
  const end = (value: string | null, problem: string | null): void => {
    if (hasEnded) return;
    hasEnded = true;
    const isLarge = value !== null && value.length > resultCharacters;
    const wrong = isLarge ? `The result has ${String(value.length)} characters of JSON, of at most ${String(resultCharacters)}. Return less.` : problem;
    say({ kind: "end", value: isLarge ? null : value, problem: wrong === null ? null : ownTrace(wrong), printed });
  };
  const print = (text: string): void => {
    if (printed.length >= printedCharacters) return;
    printed += `${text}\n`;
    if (printed.length > printedCharacters) printed = printed.slice(0, printedCharacters - PRINTED_CUT.length) + PRINTED_CUT;
  };
  const carryOut = (work: () => void): void => {
    if (hasEnded) return;
    try {
      work();
    } catch (error) {
      end(null, said(error, cpuMs));
    }
    if (!hasEnded) say({ kind: "idle", printed });
  };
  let isolated: Work | null = null;
  carryOut(() => {
    isolated = prepare(order, { end, print });
    isolated.begin();
  });
  return (answer) => carryOut(() => isolated?.answer(answer));
}

function said(error: unknown, cpuMs: number): string {
  const text = error instanceof Error ? error.message : "unknown fault";
  if (text.includes("timed out")) return `The script used its ${String(cpuMs)} ms of the processor. Do less in it, or in several.`;
  if (text.includes("memory limit") || text.includes("disposed")) return "The script used more memory than it may have. Keep less at a time.";
  return error instanceof SyntaxError ? `The script is no JavaScript: ${text}` : text;
}

let answered: ((answer: IsolateAnswer) => void) | null = null;
const take = (line: string): void => {
  if (answered === null) answered = serve(JSON.parse(line) as IsolateOrder);
  else answered(JSON.parse(line) as IsolateAnswer);
};
// Not by `node:readline`: it also ends lines at characters that JSON texts may have in them.
let buffered = "";
process.stdin
  .setEncoding("utf8")
  .on("data", (data: string) => {
    const lines = (buffered + data).split("\n");
    buffered = lines.pop() ?? "";
    for (const line of lines) take(line);
  })
  .on("end", () => process.exit());
