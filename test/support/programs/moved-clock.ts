// Moves the clock of the process that loads it (`NODE_OPTIONS=--import=…`) by as many milliseconds as the file in $MOVED_CLOCK says, also while it
// runs: so that a test can wait a night in a second, and no production code knows of it.
import { readFileSync } from "node:fs";

const FRESH_MS = 20;
const file = process.env["MOVED_CLOCK"] ?? "";
const RealDate = Date;
let offsetMs = 0;
let readAtMs = Number.NEGATIVE_INFINITY;

function nowMs(): number {
  const at = performance.now();
  if (at - readAtMs > FRESH_MS) {
    offsetMs = Number(readFileSync(file, "utf8"));
    readAtMs = at;
  }
  return RealDate.now() + offsetMs;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], made) => Reflect.construct(target, given.length === 0 ? [nowMs()] : given, made) as object,
  get: (target, name) => (name === "now" ? nowMs : (Reflect.get(target, name) as unknown)),
});
