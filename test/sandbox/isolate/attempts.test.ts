import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { addonPath, confinement } from "../../../src/sandbox/isolate/confinement.ts";
import { descendants } from "../../support/descendants.ts";
import { until } from "../../support/until.ts";
import { ISOLATE_LIMITS, type IsolateStep, startIsolate } from "../../../src/sandbox/isolate/isolate.ts";

const LIMITS = { ...ISOLATE_LIMITS, memoryMb: 16, cpuMs: 400, calls: 50, callBytes: 10_000, printedCharacters: 2000, resultCharacters: 5000 };

/** Plays a script with a tool that echoes its arguments, until it ends or waits for nothing. */
async function play(code: string, functions: readonly string[] = ["echo"]): Promise<IsolateStep & { readonly called: number }> {
  const isolate = await startIsolate(LIMITS);
  try {
    const waiting: { call: number; input: string }[] = [];
    let called = 0;
    const take = (made: IsolateStep): IsolateStep => {
      waiting.push(...made.calls);
      called += made.calls.length;
      return made;
    };
    let step = take(await isolate.begin({ code, functions, nowMs: 1000, seed: 7 }));
    while (step.end === null) {
      const next = waiting.shift();
      if (next === undefined) break;
      step = take(await isolate.answer({ call: next.call, isError: false, text: next.input, nowMs: 1000 + called }));
    }
    return { ...step, called };
  } finally {
    await isolate.close();
  }
}

/** What a script that would leave the isolate reaches, and what one that would exhaust it is told. */
const ATTEMPTS: readonly (readonly [what: string, code: string, end: RegExp])[] = [
  // Out by a name.
  ["the process", "return typeof process", /"undefined"/u],
  ["modules by require", "return require('fs').readFileSync('/etc/passwd', 'utf8')", /require is not here/u],
  ["modules by import", "return (await import('node:fs')).readFileSync('/etc/passwd', 'utf8')", /Not supported|Failed to load|Cannot/u],
  ["an import of data", "return await import('data:text/javascript,export default 1')", /Not supported|Failed to load|Cannot/u],
  ["the network by fetch", "return await fetch('http://127.0.0.1')", /fetch is not here/u],
  ["a socket", "return [typeof WebSocket, typeof XMLHttpRequest, typeof EventSource].join()", /"undefined,undefined,undefined"/u],
  ["another thread", "return [typeof Worker, typeof SharedArrayBuffer, typeof Atomics].join()", /"undefined,undefined,undefined"/u],
  ["machine code", "return typeof WebAssembly", /"undefined"/u],
  ["memory that is freed", "return [typeof WeakRef, typeof FinalizationRegistry, typeof gc].join()", /"undefined,undefined,undefined"/u],
  ["what the isolate is made of", "return [typeof ivm, typeof $0, typeof $1, typeof $3].join()", /"undefined,undefined,undefined,undefined"/u],
  ["a debugger", "return [typeof inspector, typeof Debugger].join()", /"undefined,undefined"/u],
  // Out by an object.
  ["the constructor of a tool", "return tools.echo.constructor('return typeof process')()", /"undefined"/u],
  ["the constructor of the console", "return console.log.constructor('return this.process ? 1 : 0')()", /^"?0/u],
  ["an async constructor", "return await (async () => {}).constructor('return typeof process')()", /"undefined"/u],
  ["a prototype of a result", "const r = await tools.echo({}); return r.constructor.constructor('return typeof require')()", /"function"/u],
  ["a thrown object", "try { tools.missing() } catch (e) { return e.constructor.constructor('return typeof process')() }", /"undefined"/u],
  [
    "the stack of a call",
    "Error.prepareStackTrace = (_, s) => s.map((f) => typeof f.getThis?.() + typeof f.getFunction?.()); return new Error().stack",
    /undefined/u,
  ],
  ["a caller of its own", "function f() { return f.caller } try { return String(f()) } catch (e) { return e.name }", /null|TypeError/u],
  [
    "globals of another realm",
    "return Object.getOwnPropertyNames(globalThis).filter((n) => /process|require|global$|module/u.test(n)).join()",
    /^"(?:require)?"$/u,
  ],
  ["a proxy as arguments", "return await tools.echo(new Proxy({}, { get: () => globalThis }))", /\{\}/u],
  ["arguments with a getter that throws", "try { await tools.echo({ get a() { throw new Error('mine') } }) } catch (e) { return e.message }", /mine/u],
  ["arguments that are no JSON", "try { await tools.echo({ n: 1n }) } catch (e) { return e.name }", /TypeError/u],
  ["a text with ends of lines in it", "return await tools.echo({ a: 'x\\u2028y\\u2029z\\r' })", /x\u2028y\u2029z/u],
  ["a function as arguments", "try { await tools.echo(() => 1) } catch (e) { return e.message }", /one object/u],
  ["a polluted prototype", "Object.prototype.kind = 'end'; Array.prototype.push = () => 1; return await tools.echo({ a: 1 })", /a/u],
  ["a tool in place of a tool", "tools.echo = () => 'mine'; return 1", /Cannot assign|read only/u],
  ["a tool that there is not", "return await tools.shell({ command: 'id' })", /tools\.shell is not a function/u],
  ["a tool by the prototype", "return [typeof tools.constructor, typeof tools.__proto__, typeof tools.toString].join()", /"undefined,undefined,undefined"/u],
  ["the end of the wrapper", "}); globalThis.done = 1; (async () => { return 2", /2|is not a function|no JavaScript/u],
  // Time and chance.
  [
    "the real clock",
    "return [Date.now(), new Date().getTime(), new (new Date().constructor)().getTime(), typeof Intl, typeof performance, typeof Temporal].join()",
    /"1000,1000,1000,undefined,undefined,undefined"/u,
  ],
  ["real chance", "return [Math.random() === Math.random(), typeof crypto].join()", /"false,undefined"/u],
  ["a timer", "setTimeout(() => 1, 1)", /setTimeout is not here/u],
  // Exhaustion. Whichever limit a busy machine reaches first contains it.
  ["a loop without end", "for (;;);", /400 ms of the processor/u],
  ["a loop of promises without end", "const f = () => Promise.resolve().then(f); await f()", /of the processor|more memory/u],
  ["a pattern without end", "return /(a+)+$/u.test('a'.repeat(40) + 'b')", /of the processor/u],
  ["a list that grows", "const all = []; for (;;) all.push(new Array(10000).fill(1))", /more memory|Array|of the processor/u],
  ["a text that grows", "let t = 'x'; const all = []; for (;;) { t += t; all.push(JSON.stringify(t)) }", /more memory|Invalid string length|of the processor/u],
  ["a buffer beyond all memory", "return new ArrayBuffer(4e9).byteLength", /allocation failed|Invalid array/u],
  ["many buffers", "const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))", /more memory|allocation failed|of the processor/u],
  ["depth without end", "const f = () => f() + 1; return f()", /call stack/u],
  ["a deep structure", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a", /call stack|more memory|ended|of the processor/u],
  ["the output", "for (let i = 0; i < 1000; i++) console.log('x'.repeat(100)); return 1", /^1$/u],
  ["a result without end", "return 'x'.repeat(10000)", /of at most 5000/u],
  ["calls without end", "let n = 0; for (;;) { await tools.echo({}); n++ }", /at most 50 calls/u],
  ["calls at once without end", "await Promise.all(Array.from({ length: 2000 }, () => tools.echo({})))", /at most 50 calls/u],
  ["arguments without end", "return await tools.echo({ a: 'x'.repeat(20000) })", /of at most 10000 characters/u],
  ["an error without end", "throw new Error('x'.repeat(1e6))", /^x|Error: x/u],
  ["an error that cannot be shown", "throw { toString() { throw 1 }, toJSON() { throw 2 } }", /cannot be shown/u],
  ["a value that cannot be shown", "return { toJSON() { throw new Error('mine') } }", /mine/u],
  ["something that never comes", "await new Promise(() => {})", /^waits$/u],
];

test("attempts to leave or exhaust an isolate are contained", async () => {
  expect(ATTEMPTS.length).toBeGreaterThanOrEqual(40);
  const waiting = [...ATTEMPTS];
  const escaped: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [what, code, wanted] = next;
      const { end, printed, called } = await play(code);
      const said = end === null ? "waits" : (end.problem ?? end.value ?? "");
      if (!wanted.test(said) || printed.length > 2000 || said.length > 10_000 || called > 50) escaped.push({ what, said, printed: printed.length, called });
    }
  };
  await Promise.all([work(), work(), work()]);
  expect(escaped).toEqual([]);
});

test("the same script gets the same clock and the same chance", async () => {
  const code = "const seen = [Date.now(), Math.random(), new Date().toISOString()]; await tools.echo({}); return [...seen, Date.now(), Math.random()]";
  const ends = await Promise.all([play(code), play(code)]);
  expect(ends[0].end?.value).toBe(ends[1].end?.value);
  expect(JSON.parse(ends[0].end?.value ?? "")).toEqual([1000, expect.any(Number), "1970-01-01T00:00:01.000Z", 1001, expect.any(Number)]);
});

/** What a broken isolate would do: code in the process itself, started as the process of an isolate is. */
function brokenIsolate(code: string): string {
  const { program, words } = confinement();
  const at = words.findIndex((word) => /isolate\/process\.[jt]s$/u.test(word));
  const ended = spawnSync(program, [...words.slice(0, at), "--eval", code], { env: { PATH: "/usr/bin:/bin" }, cwd: "/", encoding: "utf8" });
  return `${ended.stdout}${ended.stderr}`;
}

const TRIES = `const tried = (what, act) => { try { act(); console.log(what + ": done"); } catch (error) { console.log(what + ": " + (error.code ?? error.message)); } };
const fs = require("node:fs");
tried("read", () => fs.readFileSync("/etc/passwd"));
tried("list", () => fs.readdirSync("/"));
tried("write", () => fs.writeFileSync("/tmp/from-an-isolate", "x"));
tried("program", () => require("node:child_process").execFileSync("/bin/true"));
tried("thread", () => new (require("node:worker_threads").Worker)("1", { eval: true }));
tried("module", () => process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6"));
console.log(JSON.stringify([Object.keys(process.env).filter((name) => !["PWD", "SHLVL", "_"].includes(name)), process.cwd()]));`;

test("the process of an isolate may do nothing by Node.js, whatever runs in it", () => {
  const said = brokenIsolate(TRIES);
  const refused = ["read", "list", "write", "program", "thread"].map((what) => `${what}: ERR_ACCESS_DENIED`);
  expect(said.split("\n")).toEqual(expect.arrayContaining(refused));
  expect(said).not.toContain(": done");
  expect(existsSync("/tmp/from-an-isolate")).toBe(false);
});

test("where bubblewrap works, the kernel shows the process of an isolate neither files, nor processes, nor a network", () => {
  const { program, words, isInNamespaces } = confinement();
  const works = spawnSync("bwrap", ["--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "/bin/true"]).status === 0;
  expect(isInNamespaces).toBe(works);
  if (!works) return;
  const at = words.indexOf("--permission");
  // Node.js, and what the isolate is made of, may themselves lie in a home.
  const own = [realpathSync(process.execPath), join(import.meta.dirname, "../../../src/sandbox/isolate"), addonPath()];
  const code = `const fs = require("node:fs");
const can = (act) => { try { return act(); } catch (error) { return error.code; } };
const filesIn = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
  const path = folder + "/" + one.name;
  return ${JSON.stringify(own)}.includes(path) ? [] : one.isDirectory() ? filesIn(path) : [path];
});
console.log(JSON.stringify({ etc: fs.existsSync("/etc"), homes: ["/root", "/home"].filter((home) => fs.existsSync(home)).flatMap(filesIn), proc: fs.existsSync("/proc/1"),
  write: can(() => fs.writeFileSync("/dev/../x", "")), net: Object.keys(require("node:os").networkInterfaces()).filter((n) => n !== "lo"), environment: Object.keys(process.env).sort(), uid: process.getuid() }));`;
  const { stdout } = spawnSync(program, [...words.slice(0, at), "--eval", code], { env: { PATH: "/usr/bin:/bin", SECRET: "x" }, cwd: "/", encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual({ etc: false, homes: [], proc: false, write: "EROFS", net: [], environment: ["PWD", "TZ"], uid: 65534 });
});

test("a process that takes memory has a part of it", () => {
  const said = brokenIsolate('const all = Buffer.alloc(2.5e9); console.log("took", all.length);');
  expect(said).not.toContain("took");
});

test("an isolate that is closed while bubblewrap starts leaves no process behind", async () => {
  for (let round = 0; round < 24; round += 1) {
    const isolate = await startIsolate({ ...LIMITS, cpuMs: 20_000 });
    const end = isolate.begin({ code: "for (;;);", functions: [], nowMs: 0, seed: 0 });
    await pause(round * 4);
    const started = descendants(process.pid).filter(({ command }) => command.includes("isolate/process."));
    expect(started.length).toBeGreaterThan(0);
    await isolate.close();
    expect((await end).end?.value).toBeNull();
    const left = (): boolean => started.some(({ isThere }) => isThere());
    await until(`all of round ${round} are gone`, () => !left(), 5000);
  }
});
