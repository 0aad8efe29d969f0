import type { Readable, Writable } from "node:stream";

/** What comes in, as the protocol's package reads it. Of an editor that writes and does not read, nothing more is taken in. */
export function pacedBytes(input: Readable, output: Writable): ReadableStream<Uint8Array> {
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of input) {
        await drained(output);
        yield chunk as Uint8Array;
      }
    } catch (error) {
      // A pipe that breaks has ended.
      void error;
    }
  }
  return ReadableStream.from(chunks());
}

/** What goes out. A message has gone once the system took it; one that cannot go ends the connection. */
export function sink(output: Writable): WritableStream<Uint8Array> {
  return new WritableStream({
    write: async (chunk) =>
      await new Promise<void>((resolve, reject) => {
        output.write(chunk, (error) => (error === null || error === undefined ? resolve() : reject(error)));
      }),
  });
}

async function drained(output: Writable): Promise<void> {
  if (!output.writableNeedDrain || output.destroyed) return;
  await new Promise<void>((resolve) => {
    const events = ["drain", "close", "error"];
    const done = (): void => {
      for (const name of events) output.off(name, done);
      resolve();
    };
    for (const name of events) output.on(name, done);
  });
}
