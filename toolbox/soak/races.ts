/**
 * Ten threads swap links and directories under the supervisor's file verbs, for which all of this machine is there: nothing outside the workspace may be read or
 * written.
 *
 *   npm run soak -- races [--seconds 60]
 */
import { parseArgs } from "node:util";
import { race } from "../../test/sandbox/supervisor/races.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const { swaps, done, refused, escapes } = await race(Number(values.seconds) * 1000);
console.log(JSON.stringify({ swaps, ...done, refused, escapes: escapes.length }));
for (const escape of escapes.slice(0, 20)) console.log(escape);
process.exitCode = escapes.length === 0 ? 0 : 1;
