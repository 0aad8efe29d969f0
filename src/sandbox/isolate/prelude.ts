/**
 * Runs in the isolate before the script, as the body of a function: `$0` asks for a call, `$1` tells the end, `$2` prints, `$3` is what it is told as JSON.
 * It leaves a script what is the same each time: no clock, no chance, no memory that another thread or a collection of garbage could change, no code but
 * JavaScript. Whatever a script makes of it, all that comes out are texts, which the other side of the process reads as those of a stranger.
 */
export const PRELUDE = String.raw`
"use strict";
const [call, end, print] = [$0, $1, $2];
const { functions, nowMs, seed, limits } = JSON.parse($3);
const kept = new Set(["globalThis", "Object", "Function", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined", "Boolean", "String",
  "Symbol", "Promise", "RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "JSON", "Math",
  "ArrayBuffer", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array", "Int32Array", "Float32Array", "Float64Array", "Uint8ClampedArray",
  "BigUint64Array", "BigInt64Array", "DataView", "Map", "BigInt", "Set", "Iterator", "WeakMap", "WeakSet", "Proxy", "Reflect", "decodeURI",
  "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape", "eval", "isFinite", "isNaN"]);
const OwnDate = Date;
for (const name of Object.getOwnPropertyNames(globalThis)) if (!kept.has(name)) delete globalThis[name];

let now = nowMs;
function FixedDate(...words) {
  if (new.target === undefined) return new OwnDate(now).toString();
  return Object.setPrototypeOf(words.length === 0 ? new OwnDate(now) : new OwnDate(...words), new.target.prototype);
}
FixedDate.prototype = OwnDate.prototype;
Object.defineProperties(FixedDate, { now: { value: () => now }, parse: { value: OwnDate.parse }, UTC: { value: OwnDate.UTC }, name: { value: "Date" } });
Object.defineProperty(OwnDate.prototype, "constructor", { value: FixedDate });

let state = seed >>> 0;
Math.random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};

const shown = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return String(value.stack ?? value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};
const say = (...values) => print(values.map(shown).join(" "));

class ToolError extends Error {
  constructor(tool, text) {
    super(text);
    this.name = "ToolError";
    this.tool = tool;
  }
}

const waiting = new Map();
let calls = 0;
const tools = Object.create(null);
for (const name of functions) {
  tools[name] = (input = {}) =>
    new Promise((resolve, reject) => {
      const json = JSON.stringify(input);
      if (calls >= limits.calls) throw new ToolError(name, "Not called: a script makes at most " + limits.calls + " calls.");
      if (json === undefined || json.length > limits.callBytes) throw new ToolError(name, "Not called: the arguments are one object, of at most " + limits.callBytes + " characters.");
      const number = calls;
      calls += 1;
      waiting.set(number, { name, resolve, reject });
      call(number, name, json);
    });
}
Object.freeze(tools);
const missing = (name) => () => {
  throw new Error(name + " is not here: a script has the functions of tools, and console.log, alone.");
};
Object.defineProperties(globalThis, {
  Date: { value: FixedDate, writable: true, configurable: true },
  tools: { value: tools },
  ToolError: { value: ToolError },
  console: { value: Object.freeze({ log: say, info: say, warn: say, error: say, debug: say }) },
  ...Object.fromEntries(["require", "fetch", "setTimeout", "setInterval", "queueMicrotask"].map((name) => [name, { value: missing(name) }])),
});
const reported = (error) => {
  let text;
  try {
    text = error instanceof Error ? String(error.stack ?? error) : "The script threw " + shown(error);
  } catch {
    text = "The script threw what cannot be shown.";
  }
  end(null, text);
};
return {
  begin: (main) => {
    const ended = (async () => await main())();
    ended.then((value) => {
      const json = JSON.stringify(value === undefined ? null : value);
      if (json === undefined) throw new TypeError("The result has no JSON form.");
      end(json, null);
    }).catch(reported);
  },
  answer: (number, isError, text, at) => {
    now = at;
    const { name, resolve, reject } = waiting.get(number);
    waiting.delete(number);
    if (isError) reject(new ToolError(name, text));
    else resolve(text);
  },
};
`;
