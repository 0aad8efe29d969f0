// Compares the shell analysis with the real bash.
//
//   npm run fuzz -- shell --seconds 30 [--seed S] [--from N] [--cases N] [--workers 1] [--environments 2] [--json]
//
// Exits 1 when a text did what the analysis did not foretell, 6 where bubblewrap does not work.
import { parseArgs } from "node:util";
import { DEFAULTS, runCampaign } from "./campaign.ts";
import { describeTally, vectorOf } from "./report.ts";
import { hasBubblewrap } from "./execution/stub-root.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    seed: { type: "string" },
    workers: { type: "string", default: String(DEFAULTS.workers) },
    environments: { type: "string", default: String(DEFAULTS.environments) },
    mutations: { type: "string", default: String(DEFAULTS.mutations) },
    "max-findings": { type: "string", default: String(DEFAULTS.maxFindings) },
    from: { type: "string", default: String(DEFAULTS.from) },
    cases: { type: "string", default: String(DEFAULTS.cases) },
    json: { type: "boolean", default: false },
  },
});

if (!hasBubblewrap()) {
  console.error("fuzz:shell: bubblewrap does not work here, so nothing is executed");
  process.exit(6);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!values.json) console.log(`seed ${String(seed)}`);
const tally = await runCampaign({
  seed,
  seconds: Number(values.seconds),
  workers: Number(values.workers),
  environments: Number(values.environments),
  mutations: Number(values.mutations),
  maxFindings: Number(values["max-findings"]),
  from: Number(values.from),
  cases: Number(values.cases),
});
if (values.json) console.log(JSON.stringify({ ...tally, findings: tally.findings.map((finding) => ({ ...finding, vector: vectorOf(finding) })) }));
else console.log(describeTally(tally));
process.exitCode = tally.unsound > 0 ? 1 : 0;
