import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const ROOT = join(import.meta.dirname, "..", "..");

/** What stands in a file of tests for a real engine, for root, for another sandbox of this machine, or for the registry of packages. */
const NEEDS = /support\/(?:docker|root)\.ts"|REQUIRE_DOCKER|"npm", \["install"/u;

/** What stands in one that starts programs: the command line, a supervisor, a shell. */
const STARTS = /support\/(?:warder-cli|test-place|host-session|session-tools|pseudo-terminal|programs)|node:child_process/u;

/** Folders whose tests start programs, or wait for time to pass, from their support. */
const SLOW_FOLDERS = /^test\/(?:end-to-end|landing|sandbox|scripts|toolbox)\//u;

export type FileGroups = { readonly quick: readonly string[]; readonly programs: readonly string[]; readonly machine: readonly string[] };

/**
 * Files of tests: `machine` are those that need an engine, root or the network, `programs` those of the others that start programs or belong to
 * what does, `quick` the rest: what reads, decides and records.
 */
export function testFiles(): FileGroups {
  const files = globSync("test/**/*.test.ts", { cwd: ROOT }).toSorted();
  const groups = Map.groupBy(files, groupOf);
  return { quick: groups.get("quick") ?? [], programs: groups.get("programs") ?? [], machine: groups.get("machine") ?? [] };
}

function groupOf(file: string): keyof FileGroups {
  const text = readFileSync(join(ROOT, file), "utf8");
  if (NEEDS.test(text)) return "machine";
  return SLOW_FOLDERS.test(file) || STARTS.test(text) ? "programs" : "quick";
}

/** The longest of each group first, because what takes a minute must not begin when all others are done. */
export const LONGEST: readonly string[] = [
  "test/sandbox/bubblewrap/runtime.test.ts",
  "test/sandbox/docker/ordinary-user.test.ts",
  "test/end-to-end/worktrees.test.ts",
  "test/sandbox/docker/runtime.test.ts",
  "test/end-to-end/ordinary-user.test.ts",
  "test/package.test.ts",
  "test/landing/git/landing.test.ts",
  "test/attacks/registries.test.ts",
  "test/escape/escape.test.ts",
  "test/end-to-end/registries.test.ts",
  "test/end-to-end/turns.test.ts",
  "test/end-to-end/parked.test.ts",
  "test/end-to-end/exec.test.ts",
  "test/end-to-end/webhooks.test.ts",
  "test/end-to-end/stop-switch.test.ts",
  "test/approvals/killed-cycles.test.ts",
  "test/landing/branches/rebase.test.ts",
  "test/end-to-end/image.test.ts",
  "test/landing/git/check.test.ts",
  "test/landing/branches/branch.test.ts",
  "test/end-to-end/clients.test.ts",
  "test/end-to-end/reviewed.test.ts",
  "test/end-to-end/turns-killed.test.ts",
  "test/sandbox/bubblewrap/ordinary-user.test.ts",
  "test/sandbox/jobs/jobs.test.ts",
  "test/end-to-end/schedule.test.ts",
  "test/end-to-end/demo.test.ts",
  "test/sandbox/docker/pool.test.ts",
  "test/sandbox/docker/hanging-engine.test.ts",
  "test/end-to-end/export-in-browser.test.ts",
  "test/sandbox/egress/proxy/slow-clients.test.ts",
  "test/sandbox/supervisor/session.test.ts",
  "test/docs/contributing.test.ts",
  "test/gate/facts/hostile-repositories.test.ts",
  "test/scripts/check-bundle.test.ts",
  "test/attacks/policy-files.test.ts",
  "test/sandbox/supervisor/waiting.test.ts",
  "test/app/models/keys.test.ts",
  "test/toolbox/tree-tests.test.ts",
  "test/cli/commands/policy/suite.test.ts",
  "test/sandbox/egress/proxy/large-bodies.test.ts",
  "test/store/lock/write-lock.test.ts",
  "test/policy/compiling/large-policies.test.ts",
  "test/agent/loop.test.ts",
  "test/contract/wires.test.ts",
  "test/providers/hostile-server.test.ts",
  "test/gate/approval/grants.test.ts",
];

/** Files for the machine first, then those that start programs, then the quick ones, which fill up what is left; in each group the longest first, then by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
      return index === -1 ? LONGEST.length : index;
    };
    // Vitest's own name for a method that gives a new list.
    // oxlint-disable-next-line unicorn/no-array-sort
    const bySize = await super.sort(specifications);
    return bySize.toSorted((one, other) => one.project.name.localeCompare(other.project.name) || rank(one) - rank(other));
  }
}
