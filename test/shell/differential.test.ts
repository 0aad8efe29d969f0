import { expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import type { CommandAnalysis } from "../../src/shell/model.ts";
import { createGenerator } from "./generator.ts";
import { executeTexts, hasBubblewrap } from "./stub-root.ts";
import type { Execution } from "./stub-root.ts";

const SEED = Number(process.env["SHELL_SEED"] ?? 1);
const CASES = Number(process.env["SHELL_CASES"] ?? 200);

/** What ran and was not foretold, where the analysis claims to know what runs. */
function surprises(analysis: CommandAnalysis, executions: readonly Execution[]): readonly string[] {
  if (analysis.undecidable.length > 0 || analysis.effects.some((effect) => effect.kind === "runs-code")) return [];
  const isForetold = ({ program, directory }: Execution): boolean =>
    analysis.simples.some((simple) => simple.program?.split("/").at(-1) === program && (simple.cwd.kind === "unknown" || simple.cwd.path === directory));
  return executions.filter((execution) => !isForetold(execution)).map(({ program, directory }) => `${program} in ${directory}`);
}

it.skipIf(!hasBubblewrap())("sees what bash runs, and where", () => {
  const [ran] = executeTexts(["mkdir() { :; }; ls | cat; (cd / && rm f); env id"]);
  expect(ran?.toSorted((one, other) => one.program.localeCompare(other.program))).toEqual([
    { program: "cat", directory: "/work/0" },
    { program: "env", directory: "/work/0" },
    { program: "id", directory: "/work/0" },
    { program: "ls", directory: "/work/0" },
    { program: "rm", directory: "/" },
  ]);
});

// Needs bubblewrap with user namespaces; elsewhere the vectors alone stand for it.
it.skipIf(!hasBubblewrap())(`foretells every program that bash runs, over ${CASES} generated texts`, { timeout: 600_000 }, () => {
  const generate = createGenerator(SEED);
  const texts = Array.from({ length: CASES }, generate);
  const executions = executeTexts(texts);
  const analyses = texts.map((text, index) => analyseCommand(text, { cwd: `/work/${index}`, home: "/home" }));
  const wrong = texts.flatMap((text, index) => {
    const missed = surprises(analyses[index]!, executions[index] ?? []);
    return missed.length === 0 ? [] : [{ text, missed }];
  });
  expect(wrong).toEqual([]);
  // Without programs that ran and analyses that know what runs, the test would prove nothing.
  expect(executions.filter((ran) => ran.length > 0).length).toBeGreaterThan(CASES / 10);
  expect(analyses.filter((analysis) => analysis.undecidable.length === 0).length).toBeGreaterThan(CASES / 10);
});
