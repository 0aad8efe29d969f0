// Runs the real programs of the sandbox image with options that the tables name, and compares what they did with what was predicted.
//
//   npm run fuzz:tables -- [--runs 2000] [--seed N] [--batch 200] [--append docs/measurements/tables.jsonl]
//
// Ends with 1 when a command wrote, deleted, started or connected to what was not predicted.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { subjectDigest } from "../fuzz/digest.ts";
import { createRandom } from "../fuzz/random.ts";
import { unpackImage } from "./fixture.ts";
import { generateArgv } from "./generation.ts";
import { isOpen, predict, surprises } from "./judgement.ts";
import type { Surprise } from "./judgement.ts";
import { quoteWord } from "./quotation.ts";
import type { Session } from "./session.ts";
import { openSession } from "./session.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    batch: { type: "string", default: "200" },
    append: { type: "string" },
    image: { type: "string" },
    workers: { type: "string", default: "4" },
  },
});

const tag =
  values.image ??
  `warder-sandbox:${existsSync(`${CHECKOUT}sandbox/build/image-tag`) ? readFileSync(`${CHECKOUT}sandbox/build/image-tag`, "utf8").trim().replace(/^.*:/, "") : "latest"}`;
const root = unpackImage(tag, `${CHECKOUT}.tools/table-fuzz`);
if (root === null) process.exit(6);

const started = Date.now();
const random = createRandom(Number(values.seed));
const sessions = Array.from({ length: Number(values.workers) }, () => openSession(root));
const programs = new Set<string>();
const findings = new Map<string, { readonly argv: readonly string[]; readonly found: readonly Surprise[] }>();
let runs = 0;
let decided = 0;
let deedful = 0;
try {
  while (runs < Number(values.runs)) {
    // Generated in one order whatever the workers do, so a seed always means the same commands.
    const batches = sessions.map(() => Array.from({ length: Number(values.batch) }, () => generateArgv(random)));
    // oxlint-disable-next-line no-await-in-loop
    const judged = await Promise.all(sessions.map((session, at) => runAll(session, batches[at] ?? [])));
    for (const [at, batch] of batches.entries()) for (const [index, argv] of batch.entries()) count(argv, judged[at]?.[index]);
  }
  // One after the other: each is run several times.
  // oxlint-disable-next-line no-await-in-loop
  for (const { argv, found } of findings.values()) describe(await shrink(argv), found);
} finally {
  for (const session of sessions) session.close();
}
const seconds = Math.round((Date.now() - started) / 1000);
const tally = { seed: Number(values.seed), runs, programs: programs.size, decided, changed: deedful, findings: findings.size, seconds };
console.log(
  `seed ${String(tally.seed)}: ${String(runs)} runs of ${String(programs.size)} programs in ${String(seconds)} s, ${String(decided)} not asked about anyway, ${String(deedful)} of these changed something, ${String(findings.size)} findings`,
);
if (values.append !== undefined) {
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: CHECKOUT, encoding: "utf8" }).trim();
  appendFileSync(values.append, `${JSON.stringify({ commit, digest: subjectDigest(), ...tally })}\n`);
}
process.exitCode = findings.size > 0 ? 1 : 0;

type Judged = { readonly surprises: readonly Surprise[]; readonly isDecided: boolean; readonly isDeedful: boolean };

function count(argv: readonly string[], judged: Judged | undefined): void {
  runs += 1;
  programs.add(argv[0] ?? "");
  if (judged?.isDecided === true) decided += 1;
  if (judged?.isDeedful === true) deedful += 1;
  if (judged !== undefined && judged.surprises.length > 0) noteFinding(argv, judged.surprises);
}

async function runAll(at: Session, commands: readonly (readonly string[])[]): Promise<Judged[]> {
  const deeds = await at.run(commands);
  return commands.map((argv, index) => {
    const done = deeds[index];
    const analysis = predict(argv, index);
    if (done === undefined) throw new Error(`not reached: ${argv.join(" ")}`);
    const isDecided = !isOpen(analysis);
    return {
      surprises: surprises(analysis, done, `/c/${String(index)}`),
      isDecided,
      isDeedful: isDecided && done.written.size + done.deleted.size + done.started.size > 0,
    };
  });
}

/** One finding for each program, subcommand and kind of surprise: the rest is most likely the same. */
function noteFinding(argv: readonly string[], found: readonly Surprise[]): void {
  const key = [argv[0], argv[0] === "git" ? argv[1] : "", ...new Set(found.map((each) => each.kind))].join(" ");
  const known = findings.get(key);
  if (known === undefined || known.argv.length > argv.length) findings.set(key, { argv, found });
}

/** Leaves words out as long as something unpredicted still happens. */
async function shrink(argv: readonly string[]): Promise<readonly string[]> {
  const [session] = sessions;
  if (session === undefined) return argv;
  let smallest = argv;
  for (;;) {
    const shorter = smallest.map((_, index) => smallest.filter((__, each) => each !== index)).slice(1);
    if (shorter.length === 0) return smallest;
    // oxlint-disable-next-line no-await-in-loop
    const at = (await runAll(session, shorter)).findIndex((judged) => judged.surprises.length > 0);
    const next = shorter[at];
    if (next === undefined) return smallest;
    smallest = next;
  }
}

function describe(argv: readonly string[], found: readonly Surprise[]): void {
  console.log(`FINDING  ${argv.map(quoteWord).join(" ")}\n         ${found.map((each) => `${each.kind} ${each.what}`).join(", ")}`);
  console.log(
    `         predicted: ${
      predict(argv, 0)
        .effects.map((effect) => `${effect.kind}${effect.path?.kind === "literal" ? ` ${effect.path.path}` : ""}`)
        .join(", ") || "nothing"
    }`,
  );
}
