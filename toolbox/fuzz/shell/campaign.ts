import type { Random } from "../../shared/random.ts";
import { createRandom } from "../../shared/random.ts";
import { mutateText } from "./texts/mutation.ts";
import type { Environment, Execution, RealShell } from "./execution/real-shell.ts";
import { openRealShell } from "./execution/real-shell.ts";
import { generateText } from "./texts/scripts.ts";
import { shrinkText } from "./shrink.ts";
import { buildStubRoot } from "./execution/stub-root.ts";
import { analyseCase, ENVIRONMENTS, seedTexts, stubNames } from "./subject.ts";
import type { Problem } from "./verdict.ts";
import { findProblems, isRefused, standingOf } from "./verdict.ts";

export type Finding = {
  /** The smallest text that still shows the problem. */
  readonly command: string;
  readonly original: string;
  /** Its number in the sequence that follows from the seed. */
  readonly index: number;
  readonly environment: Environment;
  readonly problem: Problem;
};

export type Tally = {
  readonly seed: number;
  /** Texts that were analysed, each once; those that are not undecidable were also executed. */
  cases: number;
  /** Texts that came up again, and were left out. */
  repeated: number;
  static: number;
  open: number;
  undecidable: number;
  /** Runs of the real bash: each text that is not undecidable runs in several environments. */
  executions: number;
  /** Runs in which at least one program started. */
  lively: number;
  refused: number;
  timeouts: number;
  /** Texts that did what was not foretold. */
  unsound: number;
  seconds: number;
  readonly findings: Finding[];
};

export type Plan = {
  readonly seed: number;
  readonly seconds: number;
  readonly workers: number;
  /** Environments that each text runs in. */
  readonly environments: number;
  /** Stops when there are so many different findings. */
  readonly maxFindings: number;
  /** Share of texts, of ten, that are mutations of vectors. */
  readonly mutations: number;
  /** The first text of the sequence that is tried, and how many are at most. */
  readonly from: number;
  readonly cases: number;
};

export const DEFAULTS = { workers: 1, environments: 2, maxFindings: 10, mutations: 3, from: 0, cases: Infinity } as const;
const BATCH = 192;

/** Compares the analysis with the real bash, for the time of the plan. The texts follow from the seed alone. */
export async function runCampaign(plan: Plan): Promise<Tally> {
  const [root, other] = [buildStubRoot(stubNames()), buildStubRoot(stubNames(), "bash")];
  const shells = Array.from({ length: plan.workers }, () => [openRealShell(root), openRealShell(other)] as const);
  const tally = emptyTally(plan.seed);
  const started = performance.now();
  const deadline = started + plan.seconds * 1000;
  try {
    const seeds = seedTexts();
    const seen = new Set<string>();
    let pending: Promise<void> = Promise.resolve();
    const end = plan.from + plan.cases;
    for (let at = plan.from; at < end && performance.now() < deadline && tally.findings.length < plan.maxFindings; at += BATCH) {
      const batch = runBatch(plan, shells, { seeds, seen, from: at, tally });
      // Analyse the next texts while the shells run these, and no further ahead.
      // oxlint-disable-next-line no-await-in-loop
      await pending;
      pending = batch;
    }
    await pending;
  } finally {
    await Promise.all(shells.flat().map((shell) => shell.close()));
  }
  tally.seconds = (performance.now() - started) / 1000;
  return tally;
}

function emptyTally(seed: number): Tally {
  return {
    seed,
    cases: 0,
    repeated: 0,
    static: 0,
    open: 0,
    undecidable: 0,
    executions: 0,
    lively: 0,
    refused: 0,
    timeouts: 0,
    unsound: 0,
    seconds: 0,
    findings: [],
  };
}

type Batch = { readonly seeds: readonly string[]; readonly seen: Set<string>; readonly from: number; readonly tally: Tally };

/** A root in which `sh` is what this machine calls so, which is dash on Debian, and one in which it is bash. */
type Shells = readonly [RealShell, RealShell];

const NAMES_SH = /\bsh\b/;

async function runBatch(plan: Plan, shells: readonly Shells[], batch: Batch): Promise<void> {
  const jobs: Promise<void>[] = [];
  for (let index = batch.from; index < Math.min(batch.from + BATCH, plan.from + plan.cases); index += 1) {
    const shell = shells[index % shells.length];
    if (shell !== undefined) jobs.push(runCase(plan, shell, { ...batch, from: index }));
  }
  await Promise.all(jobs);
}

/** The text with that number in the sequence that follows from a seed, and what goes on choosing for it. */
export function textOf(plan: Pick<Plan, "seed" | "mutations">, index: number, seeds: readonly string[]): { readonly text: string; readonly random: Random } {
  const random = createRandom(Math.imul(plan.seed, 0x9e3779b1) + index);
  if (random.below(10) < plan.mutations) return { text: mutateText(random, seeds), random };
  const text = generateText(random);
  return { text: random.once(8) ? mutateText(random, seeds, text) : text, random };
}

async function runCase(plan: Plan, [usual, other]: Shells, { seeds, seen, from, tally }: Batch): Promise<void> {
  const { text, random } = textOf(plan, from, seeds);
  if (seen.has(text)) {
    tally.repeated += 1;
    return;
  }
  seen.add(text);
  const analysis = analyseCase(text);
  const standing = standingOf(analysis);
  tally.cases += 1;
  tally[standing] += 1;
  if (standing === "undecidable") return;
  const offset = random.below(ENVIRONMENTS.length);
  const step = 1 + 2 * random.below(ENVIRONMENTS.length / 2);
  const chosen = Array.from({ length: plan.environments }, (_, index) => ENVIRONMENTS[(offset + index * step) % ENVIRONMENTS.length]).filter(
    (each) => each !== undefined,
  );
  const shell = NAMES_SH.test(text) && random.once(3) ? other : usual;
  const executions = await Promise.all(chosen.map((environment) => shell.run(text, environment)));
  executions.forEach((execution) => count(tally, execution));
  const at = executions.findIndex((execution) => findProblems(analysis, execution).length > 0);
  const [environment, execution] = [chosen[at], executions[at]];
  if (environment === undefined || execution === undefined) return;
  tally.unsound += 1;
  await report(shell, { text, index: from, environment, problem: findProblems(analysis, execution)[0] }, tally);
}

function count(tally: Tally, execution: Execution): void {
  tally.executions += 1;
  if (execution.started.length > 0) tally.lively += 1;
  if (execution.status === -1) tally.timeouts += 1;
  if (isRefused(execution)) tally.refused += 1;
}

type Failure = { readonly text: string; readonly index: number; readonly environment: Environment; readonly problem: Problem | undefined };

async function report(shell: RealShell, { text, index, environment, problem }: Failure, tally: Tally): Promise<void> {
  if (problem === undefined) return;
  const command = await shrinkText(text, async (candidate) => {
    const analysis = analyseCase(candidate);
    if (standingOf(analysis) !== "static") return false;
    return findProblems(analysis, await shell.run(candidate, environment)).some((each) => each.kind === problem.kind);
  });
  if (tally.findings.some((finding) => finding.command === command)) return;
  tally.findings.push({ command, original: text, index, environment, problem });
}
