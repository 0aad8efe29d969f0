import type { Span } from "../model/model.ts";

/** What a redirection makes of a descriptor: a file that is opened for reading (`from` is null), or what another one stands for. */
export type Descriptor = { readonly to: number; readonly from: number | null; readonly span: Span };

/** The output of a command, which `/dev/stdout` and `/dev/stderr` open anew. */
const OUTPUTS = new Set([1, 2]);

/**
 * Where an output stands for a file that was opened for reading: nothing can be written to it, but opened anew by its name it is the file,
 * which is written then (`echo x 1<f >/dev/stdout`). Null: nowhere. The order of a script is not looked at.
 */
export function findReadOutput(descriptors: readonly Descriptor[]): Span | null {
  const reading = new Set<number | null>([null]);
  for (let size = 0; size < reading.size;) {
    ({ size } = reading);
    for (const { to, from } of descriptors) if (reading.has(from)) reading.add(to);
  }
  return descriptors.find(({ to, from }) => OUTPUTS.has(to) && reading.has(from))?.span ?? null;
}
