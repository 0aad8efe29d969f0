/**
 * The escape suite: attacks of test/escape/attacks/, performed in sandboxes with canaries outside.
 * `--runtime docker|bubblewrap|podman|podman-rootless|docker-elsewhere|docker-rootless`, the engine at DOCKER_HOST (Podman: its Docker API),
 * `--only ID` (may be repeated), `--json` for programs. Closes with a line of totals; exit code 1 when one escaped, proved nothing or left
 * something behind. `--mutations`: see mutations.ts.
 */
import { parseArgs } from "node:util";
import { loadAttacks, type RuntimeName } from "../../test/escape/attack.ts";
import type { Verdict } from "../../test/escape/judge.ts";
import { runAttacks } from "../../test/escape/run.ts";

if (process.argv.includes("--mutations")) {
  process.argv.splice(process.argv.indexOf("--mutations"), 1);
  await import("./mutations.ts");
  process.exit();
}
const { values } = parseArgs({
  options: { runtime: { type: "string", default: "docker" }, only: { type: "string", multiple: true }, json: { type: "boolean", default: false } },
});
const all = loadAttacks();
const selected = values.only === undefined ? all : all.filter(({ id }) => values.only?.includes(id));
const startedMs = performance.now();
const { verdicts, left } = await runAttacks(selected, { runtime: values.runtime as RuntimeName, dockerHost: process.env["DOCKER_HOST"] }, (verdict) => {
  if (!values.json)
    console.log(`${verdict.result.padEnd(7)} ${verdict.id.padEnd(34)} ${String(Math.round(verdict.durationMs)).padStart(6)} ms  ${verdict.detail}`);
});
if (values.json) {
  console.log(JSON.stringify({ verdicts, left }));
} else {
  for (const line of left) console.log(`left    ${line}`);
  const count = (result: Verdict["result"]): number => verdicts.filter((verdict) => verdict.result === result).length;
  const totals = `${count("held")} held, ${count("escaped")} escaped, ${count("broken")} broken, ${count("exempt")} exempt, ${left.length} left behind`;
  console.log(`escape suite on ${values.runtime}: ${totals}, ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
}
process.exitCode = verdicts.every(({ result }) => result === "held" || result === "exempt") && left.length === 0 && verdicts.length > 0 ? 0 : 1;
