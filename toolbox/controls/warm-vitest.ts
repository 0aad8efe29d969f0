/**
 * A vitest that stays: started in a copy of the tree by `tree-tests.ts`, it answers each request with what became of the
 * tests of one file. Vitest keeps what it transformed, so that a file costs only what its own process takes; each file still has a process of its own.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { createVitest, type TestModule, type TestProject } from "vitest/node";
import { removeFolder } from "../../test/support/run-folder.ts";
import { type FileRequest, type FileRun, UNLOADED } from "./file-run.ts";

const root = process.cwd();
// As vitest's own command does.
Object.assign(process.env, { TEST: "true", VITEST: "true", NODE_ENV: "test" });
const vitest = await createVitest("test", { root, watch: false, reporters: [{}], maxWorkers: 1, silent: true });
await vitest.standalone();
let projects: ReadonlyMap<string, TestProject> | null = null;
process.on("disconnect", () => void vitest.close().then(() => process.exit()));
process.on("message", (request: FileRequest) => {
  void run(request).then((answer) => process.send?.(answer));
});
process.send?.("ready");

async function run({ file, pattern, endsAtFirstRed, changed }: FileRequest): Promise<FileRun> {
  for (const path of changed) vitest.invalidateFile(join(root, path));
  const moduleId = join(root, file);
  const project = (await projectsOf()).get(moduleId);
  if (project === undefined) return UNLOADED;
  // A process of its own for each file, whichever group it is in: nothing of an earlier patch is left in it.
  project.config.isolate = true;
  project.config.bail = endsAtFirstRed ? 1 : 0;
  // A red test is what is looked for.
  project.config.retry = 0;
  const { testModules } = await vitest.runTestSpecifications([project.createSpecification(moduleId, { testNamePattern: new RegExp(pattern) })]);
  removeLeftovers();
  const module = testModules.find((each) => each.moduleId === moduleId);
  return module === undefined ? UNLOADED : runOf(module);
}

/** The group that each test file is in. */
async function projectsOf(): Promise<ReadonlyMap<string, TestProject>> {
  projects ??= new Map((await vitest.globTestSpecifications()).map(({ moduleId, project }) => [moduleId, project]));
  return projects;
}

function runOf(module: TestModule): FileRun {
  const tests = [...module.children.allTests()].map((test) => ({ title: test.fullName, state: test.result().state, ms: test.diagnostic()?.duration ?? 0 }));
  const ran = tests.filter(({ state }) => state === "passed" || state === "failed");
  const hasFailedTest = ran.some(({ state }) => state === "failed");
  const hasFailed = module.state() === "failed";
  const isEnded = ["passed", "failed", "skipped"].includes(module.state());
  return {
    tests: ran.map(({ title, state, ms }) => ({ title, isPassed: state === "passed", ms })),
    isUnloaded: !hasFailedTest && (!isEnded || (hasFailed && tests.length === 0)),
    hasFailedHook: hasFailed && tests.length > 0 && !hasFailedTest,
    isCutOff: false,
  };
}

/** What red tests leave behind goes before the next ones run, as it does at the end of a run of vitest. */
function removeLeftovers(): void {
  for (const folder of [process.env["TMPDIR"], process.env["TEST_DISK"]]) {
    // Never what is not ours: these are set once the first test runs.
    if (folder === undefined || !basename(folder).startsWith("warder-tests-")) continue;
    for (const name of readdirSync(folder)) {
      try {
        removeFolder(join(folder, name));
      } catch (error) {
        // Something still writes there. It goes when this process ends.
        if (!["EBUSY", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      }
    }
  }
}
