import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULTS, runCampaign } from "../../toolbox/fuzz/shell/campaign.ts";
import { describeTally } from "../../toolbox/fuzz/shell/report.ts";
import { hasBubblewrap } from "../../toolbox/fuzz/shell/execution/stub-root.ts";
import { analyseCase } from "../../toolbox/fuzz/shell/subject.ts";
import { findProblems, standingOf } from "../../toolbox/fuzz/shell/verdict.ts";
import { rounds } from "../support/extent.ts";

type Vector = { readonly title: string; readonly command: string; readonly ran: readonly string[]; readonly wrote: readonly string[] };

const FOLDER = new URL("../vectors/torture/", import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const vectors = files.flatMap((file) => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Vector[]);

describe("what bash was seen to do", () => {
  it("stands in vectors, most of which are decided", () => {
    expect(vectors.length).toBeGreaterThan(150);
    const decided = vectors.filter((vector) => standingOf(analyseCase(vector.command)) === "static");
    expect(decided.length).toBeGreaterThan(vectors.length / 2);
  });

  it.each(vectors.map((vector) => [vector.title, vector] as const))("is foretold: %s", (_title, vector) => {
    expect(Object.keys(vector).toSorted()).toEqual(["command", "ran", "title", "wrote"]);
    const analysis = analyseCase(vector.command);
    const isUndecided = standingOf(analysis) !== "static";
    const named = new Set(analysis.simples.map((simple) => simple.program?.split("/").at(-1)));
    expect(vector.ran.filter((program) => !isUndecided && !named.has(program))).toEqual([]);
    const execution = { status: 0, started: [], stderr: "", written: vector.wrote, removed: [] };
    expect(findProblems(analysis, execution)).toEqual([]);
  });
});

const SECONDS = Number(process.env["FUZZ_SECONDS"] ?? rounds(8, 30));
// On a desk always the same texts, so that a red run is a change's own doing. CI sets a seed that follows from the commit, which its test's
// name shows; `npm run soak -- shell` and `npm run fuzz -- shell` draw one and print it. What any of them finds becomes a vector.
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
const isRequired = process.env["REQUIRE_DOCKER"] === "1";
const canRun = hasBubblewrap();

describe("the real bash", () => {
  const condition = canRun ? `seed ${String(SEED)}` : "which needs bubblewrap, and that does not work here";
  it.skipIf(!canRun && !isRequired)(`does nothing that was not foretold, ${condition}`, { timeout: SECONDS * 1000 + 120_000 }, async () => {
    expect(canRun, "REQUIRE_DOCKER demands bubblewrap as well").toBe(true);
    const tally = await runCampaign({ ...DEFAULTS, seed: SEED, seconds: SECONDS });
    expect(tally.findings, describeTally(tally)).toEqual([]);
    expect(tally.unsound).toBe(0);
    // Without programs that ran and verdicts that claim to know them, the test would prove nothing.
    expect(tally.lively).toBeGreaterThan(tally.executions / 4);
    expect(tally.static).toBeGreaterThan(tally.cases / 4);
    expect(tally.timeouts).toBeLessThan(tally.executions / 4);
  });
});
