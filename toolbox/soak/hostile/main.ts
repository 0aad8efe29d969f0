/**
 * Executes commands that are known to be hostile in sandboxes of a policy, with canaries outside. FILE.jsonl has `{id, command, label}`
 * a line.
 *
 *   npm run soak -- hostile --file FILE.jsonl [--labels hostile,attack] [--policy unattended] [--timeout-ms 5000] [--lanes 2]
 *
 * Prints numbers and never a command; exit code
 * 1 when a canary moved, something was left or a command did not end in time.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type HostileCommand, type HostileEnd, runHostile } from "./run.ts";

const { values } = parseArgs({
  options: {
    file: { type: "string" },
    labels: { type: "string", default: "hostile,attack" },
    policy: { type: "string", default: "unattended" },
    "timeout-ms": { type: "string", default: "5000" },
    lanes: { type: "string", default: "2" },
  },
});
if (values.file === undefined) {
  console.error("Which commands? --file FILE.jsonl");
  process.exit(2);
}
const labels = values.labels.split(",");
const commands = readFileSync(values.file, "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => JSON.parse(line) as HostileCommand)
  .filter(({ label }) => labels.includes(label));
const startedMs = performance.now();
let done = 0;
const report = await runHostile(commands, {
  policy: values.policy,
  timeoutMs: Number(values["timeout-ms"]),
  lanes: Number(values.lanes),
  onEnd: () => {
    done += 1;
    if (done % 50 === 0) console.error(`${done} of ${commands.length}`);
  },
});
console.log("| label | commands | ended | in time | slowest |\n|---|---|---|---|---|");
for (const label of labels) {
  const ends = report.ends.filter((end) => end.label === label);
  const slowest = Math.max(0, ...ends.map(({ durationMs }) => durationMs));
  console.log(`| ${label} | ${ends.length} | ${endings(ends)} | ${ends.filter(({ isLate }) => !isLate).length} | ${(slowest / 1000).toFixed(1)} s |`);
}
for (const end of report.ends.filter(({ isLate }) => isLate)) console.log(`late: ${end.id} after ${Math.round(end.durationMs)} ms`);
for (const line of report.moved) console.log(`moved: ${line}`);
for (const line of report.left) console.log(`left: ${line}`);
const isHeld = report.moved.length === 0 && report.left.length === 0 && report.ends.every(({ isLate }) => !isLate) && report.ends.length >= commands.length;
console.log(
  `hostile: ${report.ends.length} of ${commands.length} executed, ${report.moved.length} canaries moved, ${report.left.length} left behind, ${report.sessionsLost} sessions ended by a command, ${((performance.now() - startedMs) / 1000).toFixed(0)} s`,
);
process.exitCode = isHeld ? 0 : 1;

function endings(ends: readonly HostileEnd[]): string {
  const counts = new Map<string, number>();
  for (const { ending } of ends) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([ending, count]) => `${ending}: ${count}`)
    .join(", ");
}
