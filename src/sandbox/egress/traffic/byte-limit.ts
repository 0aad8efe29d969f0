import { Transform } from "node:stream";

/** Passes bytes on as long as `takes` says so of each part, and fails with {@link ByteLimit} then. Backpressure goes through. */
export function meter(takes: (bytes: number) => boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (takes(chunk.length)) done(null, chunk);
      else done(new ByteLimit());
    },
  });
}

export class ByteLimit extends Error {
  constructor() {
    super("a byte limit was reached");
    this.name = "ByteLimit";
  }
}
