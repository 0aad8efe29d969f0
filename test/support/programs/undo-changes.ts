// Takes the last landing of the run directory given back, as `warder changes undo` does: to be killed, or to meet another.
import { openUndo } from "../../../src/landing/undo/undo.ts";

const last = await openUndo(process.argv[2] ?? "");
if (last === null) throw new Error("There is nothing to take back.");
const { refused } = await last.undo([]);
await last.close();
for (const { change, reason } of refused) process.stderr.write(`${change.path}: ${reason}\n`);
process.exitCode = refused.length === 0 ? 0 : 1;
