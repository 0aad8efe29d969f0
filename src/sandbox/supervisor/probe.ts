import { verb, type Verb } from "./files.ts";
import { REQUEST } from "./protocol.ts";

/** What the kernel says of the sandbox to a command, as text in parts (sandbox/PROTOCOL.md). */
export function probeVerb(timeoutMs: number): Verb<string> {
  return verb(REQUEST.probe, [], timeoutMs, { fields: [], read: (fields) => new TextDecoder().decode(fields.rest()) });
}
