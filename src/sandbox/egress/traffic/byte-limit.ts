import { Transform } from "node:stream";

/** Passes bytes on while `takes` accepts each part; the first that it refuses fails the stream with {@link ByteLimit}. Keeps backpressure. */
export function limitBytes(takes: (bytes: number) => boolean): Transform {
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
