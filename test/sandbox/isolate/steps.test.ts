import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { stepReader } from "../../../src/sandbox/isolate/steps.ts";

const call = (number: number): string => `{"kind":"call","call":${number},"name":"echo","input":"{}"}\n`;

test("a step is what came until the script waits or ends, however it is cut", async () => {
  const stream = new PassThrough();
  const step = stepReader(stream, 10);
  const first = step();
  for (const part of [call(0).slice(0, 9), call(0).slice(9) + call(1), '{"kind":"idle","printed":"é']) stream.write(part);
  stream.write('"}\n');
  expect(await first).toEqual({ calls: [0, 1].map((number) => ({ call: number, name: "echo", input: "{}" })), printed: "é", end: null });
  const second = step();
  stream.write('{"kind":"end","value":"1","problem":null,"printed":""}\n');
  expect(await second).toEqual({ calls: [], printed: "", end: { value: "1", problem: null, printed: "" } });
});

test.each([
  ["no JSON", "hello\n"],
  ["no object", "null\n"],
  ["of no kind", '{"kind":"permit","printed":""}\n'],
  ["a call without a number", '{"kind":"call","call":"0","name":"echo","input":"{}"}\n'],
  ["a call whose arguments are no text", '{"kind":"call","call":0,"name":"echo","input":{}}\n'],
  ["an end of another form", '{"kind":"end","value":{},"problem":null,"printed":""}\n'],
  ["more calls than a script may make", call(0).repeat(11)],
  ["a line without end", "x".repeat(9 * 1024 * 1024)],
  ["lines without end", `${JSON.stringify({ kind: "call", call: 0, name: "echo", input: "x".repeat(7 * 1024 * 1024) })}\n`.repeat(10)],
])("what a hostile process says is none: %s", async (_what, said) => {
  const stream = new PassThrough();
  const first = stepReader(stream, 10)();
  stream.end(said);
  expect(await first).toBeNull();
});

test("a process that speaks when nobody asked is not listened to any more", async () => {
  const stream = new PassThrough();
  const step = stepReader(stream, 10);
  const first = step();
  stream.write('{"kind":"idle","printed":""}\n{"kind":"idle","printed":""}\n');
  expect(await first).toEqual({ calls: [], printed: "", end: null });
  expect(stream.isPaused()).toBe(true);
  expect(await step()).toBeNull();
});

test("the calls of all steps are counted together", async () => {
  const stream = new PassThrough();
  const step = stepReader(stream, 10);
  for (const _ of [1, 2]) {
    const made = step();
    stream.write(`${[0, 1, 2, 3, 4].map(call).join("")}{"kind":"idle","printed":""}\n`);
    expect((await made)?.calls.length).toBe(5);
  }
  const beyond = step();
  stream.write(call(10));
  expect(await beyond).toBeNull();
});
