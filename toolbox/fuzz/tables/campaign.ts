import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRandom } from "../../shared/random.ts";
import { unpackImage } from "./fixture.ts";
import { generateArgv } from "./generation.ts";
import { isOpen, predict, surprises } from "./judgement.ts";
import type { Surprise } from "./judgement.ts";
import { quoteWord } from "./quotation.ts";
import type { Session } from "./session.ts";
import { openSession } from "./session.ts";

const CHECKOUT = fileURLToPath(new URL("../../..", import.meta.url));

export type Plan = {
  readonly root: string;
  readonly seed: number;
  readonly runs: number;
  /** Commands of one session. */
  readonly batch: number;
  readonly workers: number;
};

/** What a campaign did. `decided`: runs that are not asked about anyway; `changed`: those of them that changed something. */
export type TableTally = {
  readonly seed: number;
  readonly runs: number;
  readonly programs: number;
  readonly decided: number;
  readonly changed: number;
  readonly findings: number;
  readonly seconds: number;
};

type Findings = Map<string, { readonly argv: readonly string[]; readonly found: readonly Surprise[] }>;
type Counts = { readonly programs: Set<string>; runs: number; decided: number; changed: number };
type Judged = { readonly surprises: readonly Surprise[]; readonly isDecided: boolean; readonly isDeedful: boolean };

/** The root of the sandbox image, unpacked; null when there is no engine or no image. */
export function imageRoot(image?: string): string | null {
  const file = `${CHECKOUT}sandbox/build/image-tag`;
  const tag = image ?? `warder-sandbox:${existsSync(file) ? readFileSync(file, "utf8").trim().replace(/^.*:/, "") : "latest"}`;
  return unpackImage(tag, `${CHECKOUT}.tools/table-fuzz`);
}

/** Runs generated commands, and prints each finding, made smaller. */
export async function runTableCampaign({ root, seed, runs, batch, workers }: Plan): Promise<TableTally> {
  const started = Date.now();
  const random = createRandom(seed);
  const sessions = Array.from({ length: workers }, () => openSession(root));
  const findings: Findings = new Map();
  const counts: Counts = { programs: new Set(), runs: 0, decided: 0, changed: 0 };
  try {
    while (counts.runs < runs) {
      // Generated in one order whatever the workers do, so a seed always means the same commands.
      const batches = sessions.map(() => Array.from({ length: batch }, () => generateArgv(random)));
      // oxlint-disable-next-line no-await-in-loop
      const judged = await Promise.all(sessions.map((session, at) => runAll(session, batches[at] ?? [])));
      for (const [at, commands] of batches.entries()) {
        for (const [index, argv] of commands.entries()) count(counts, findings, { argv, judged: judged[at]?.[index] });
      }
    }
    // One after the other: each is run several times.
    // oxlint-disable-next-line no-await-in-loop
    for (const { argv, found } of findings.values()) describe(await shrink(sessions[0], argv), found);
  } finally {
    for (const session of sessions) session.close();
  }
  const { programs, ...rest } = counts;
  return { seed, ...rest, programs: programs.size, findings: findings.size, seconds: Math.round((Date.now() - started) / 1000) };
}

/** One line that says what a campaign did. */
export function describeTableTally({ seed, runs, programs, decided, changed, findings, seconds }: TableTally): string {
  return `seed ${String(seed)}: ${String(runs)} runs of ${String(programs)} programs in ${String(seconds)} s, ${String(decided)} not asked about anyway, ${String(changed)} of these changed something, ${String(findings)} findings`;
}

function count(counts: Counts, findings: Findings, { argv, judged }: { readonly argv: readonly string[]; readonly judged: Judged | undefined }): void {
  counts.runs += 1;
  counts.programs.add(argv[0] ?? "");
  if (judged?.isDecided === true) counts.decided += 1;
  if (judged?.isDeedful === true) counts.changed += 1;
  if (judged !== undefined && judged.surprises.length > 0) noteFinding(findings, argv, judged.surprises);
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
function noteFinding(findings: Findings, argv: readonly string[], found: readonly Surprise[]): void {
  const key = [argv[0], argv[0] === "git" ? argv[1] : "", ...new Set(found.map((each) => each.kind))].join(" ");
  const known = findings.get(key);
  if (known === undefined || known.argv.length > argv.length) findings.set(key, { argv, found });
}

/** Leaves words out as long as something unpredicted still happens. */
async function shrink(session: Session | undefined, argv: readonly string[]): Promise<readonly string[]> {
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
