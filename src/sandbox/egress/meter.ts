import { Transform } from "node:stream";

/** Passes bytes on, tells of each part, and fails with {@link ByteLimit} beyond the limit. Backpressure goes through. */
export function meter(maxBytes: number, onBytes: (bytes: number) => void): Transform {
  let total = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total > maxBytes) {
        done(new ByteLimit());
        return;
      }
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
}

export class ByteLimit extends Error {
  constructor() {
    super("a byte limit was reached");
    this.name = "ByteLimit";
  }
}
