// Confirms an MCP server and a document at addresses, in the state directory STATE, and then WHAT of them (`server`, `document`) in another shape. It is killed
// meanwhile, at AT: when half of the file is written (`half`), before the file is put in place (`before`), or after that (`after`).
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { confirmServer } from "../../../src/app/mcp/trust.ts";
import { confirmDocument } from "../../../src/app/openapi/documents.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";
import { seenDocument, seenServer } from "../seen-pins.ts";

const [, , state = "", what, at] = process.argv;
const store = openStore(state);
const records = { store, audit: { store, clock: systemClock }, approvals: { store, clock: systemClock } };
confirmServer(records, seenServer(0), "ann");
confirmDocument(records, seenDocument(0), "ann");

const { renameSync, writeFileSync } = fs;
const dieAt = (moment: string): void => {
  if (moment === at) process.kill(process.pid, "SIGKILL");
};
fs.writeFileSync = (file, data, options) => {
  const isHalf = at === "half" && typeof data === "string" && data.includes('"pins"');
  writeFileSync(file, isHalf ? data.slice(0, data.length / 2) : data, options);
  if (isHalf) dieAt("half");
};
fs.renameSync = (from, to) => {
  const isOfPins = String(to).endsWith("mcp-servers.json");
  if (isOfPins) dieAt("before");
  renameSync(from, to);
  if (isOfPins) dieAt("after");
};
syncBuiltinESMExports();
if (what === "server") confirmServer(records, seenServer(1), "ann");
else confirmDocument(records, seenDocument(1), "ann");
