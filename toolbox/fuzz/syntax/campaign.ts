import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { mutateText } from "../shell/texts/mutation.ts";
import { createRandom } from "../../shared/random.ts";
import { generateText } from "../shell/texts/scripts.ts";
import { analyseCase, seedTexts } from "../shell/subject.ts";
import { standingOf } from "../shell/verdict.ts";

export type SyntaxPlan = {
  readonly seed: number;
  /** Ends after this many seconds, or after as many texts. */ readonly seconds: number;
  readonly texts: number;
};

export type SyntaxTally = {
  readonly texts: number;
  /** Texts that the analysis claims to understand, each of which bash read. */
  readonly claimed: number;
  /** Those that bash refuses. */
  readonly refused: readonly string[];
};

/** Reads texts that end with a NUL and answers each with 1 where bash refuses it, else 0. `-n` reads and executes nothing. */
const READER = `while IFS= read -r -d '' text; do bash --norc -n -c -- "$text" 2>/dev/null && echo 0 || echo 1; done`;

/** Makes up texts, and asks bash about those that the analysis claims to understand. The texts follow from the seed alone. */
export async function compareSyntax(plan: SyntaxPlan): Promise<SyntaxTally> {
  const reader = spawn("bash", ["--norc", "-c", READER], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = readText(reader.stdout);
  const [random, seeds] = [createRandom(plan.seed), seedTexts()];
  const claimed = new Set<string>();
  const deadline = performance.now() + plan.seconds * 1000;
  let texts = 0;
  for (; texts < plan.texts && performance.now() < deadline; texts += 1) {
    const text = random.once(2) ? mutateText(random, seeds) : mutateText(random, seeds, generateText(random));
    if (claimed.has(text) || text.includes("\0") || standingOf(analyseCase(text)) === "undecidable") continue;
    claimed.add(text);
    // Wait while the reader is behind, or the answers come long after the deadline.
    // oxlint-disable-next-line no-await-in-loop
    if (!reader.stdin.write(`${text}\0`)) await once(reader.stdin, "drain");
  }
  reader.stdin.end();
  const codes = (await answers).trim().split("\n");
  if (codes.length !== claimed.size) throw new Error(`bash answered ${String(codes.length)} of ${String(claimed.size)} texts`);
  return { texts, claimed: claimed.size, refused: [...claimed].filter((_text, index) => codes[index] !== "0") };
}
