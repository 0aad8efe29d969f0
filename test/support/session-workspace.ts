import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import type { Runtime } from "../../src/sandbox/runtime.ts";
import { readRecord, workspacePaths } from "../../src/sandbox/workspace/record.ts";
import { openChanges } from "../../src/landing/review/review.ts";
import { makeFixture, perform, profileOf, type SandboxFixture } from "../contract/sandbox-fixture.ts";
import type { MakeStage } from "./change-rounds.ts";
import type { OverlaidWorkspace } from "./overlaid-workspace.ts";
import type { Fact } from "./tree-facts.ts";

const INSIDE_FILES = ["programs/change-tree.ts", "random-changes.ts", "tree-facts.ts"] as const;
/** A hundred entries or two, with names of 200 bytes. */
const FACTS_BYTES = 4 * 1024 * 1024;

/** Where nothing counts for a whole container, each process has this as its own limit, and Node.js reserves much. */
const MEMORY_BYTES = 1024 ** 3;

type Make = (files?: Readonly<Record<string, string>>, prepareLower?: (workspace: string) => void) => Promise<OverlaidWorkspace>;

/** As `overlayWorkspace`, in a real session of bubblewrap for an ordinary user, whose overlay is seen through the guardian that mounts it. */
export const namespaceWorkspace: Make = (files, prepareLower) =>
  inSession(bubblewrapRuntime(), ({ runDirectory }) => `/proc/${guardianOf(runDirectory)}/root${workspacePaths(runDirectory).merged}`, files, prepareLower);

/**
 * As `overlayWorkspace`, in a real session of the engine at DOCKER_HOST, for an ordinary user. Only where the engine mounts is its volume seen: for a rootless
 * Podman in `podman unshare unshare --user --map-user=UID --map-group=GID`.
 */
export const engineSessionWorkspace: Make = (files, prepareLower) =>
  inSession(
    dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }),
    ({ runDirectory }) => {
      const volume = readRecord(runDirectory)?.overlay ?? "";
      const point = execFileSync("docker", ["volume", "inspect", "--format", "{{.Mountpoint}}", volume], { encoding: "utf8" }).trim();
      if (!textOf("/proc/self/mountinfo").includes(` ${point} `))
        throw new Error("This process does not see what the engine mounts: see engineSessionWorkspace, or play with --sessions inside.");
      return point;
    },
    files,
    prepareLower,
  );

/**
 * As `overlayWorkspace`, in a real session of the engine at DOCKER_HOST, wherever its files are: the changes are made by a program inside (programs/change-tree.ts),
 * which the image's Node.js runs.
 */
export const unseenWorkspace: MakeStage = async (files = {}, prepareLower) => {
  const fixture = makeFixture(files);
  prepareLower?.(fixture.workspace);
  const tools = join(fixture.folder, "tools");
  for (const file of INSIDE_FILES) cpSync(join(import.meta.dirname, file), join(tools, file));
  writeFileSync(join(tools, "package.json"), '{ "type": "module" }\n');
  const { workspace, runDirectory, runId } = fixture;
  const roots = [
    { path: workspace, access: "read-write" as const },
    { path: tools, access: "read" as const },
  ];
  const profile = profileOf(fixture, { roots, settings: { outputBytes: FACTS_BYTES, memoryBytes: MEMORY_BYTES } });
  const session = await dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }).open(profile, { runId, runDirectory });
  return {
    workspace,
    runDirectory,
    changeInside: async (seed, steps) => {
      const argv = ["node", join(tools, INSIDE_FILES[0]), workspace, String(seed), String(steps)];
      const outcome = await perform(session, { kind: "exec", argv, cwd: workspace, env: {}, timeoutMs: 60_000, outputBytes: FACTS_BYTES });
      if (outcome.kind !== "completed" || outcome.result.kind !== "exec" || outcome.result.exitCode !== 0)
        throw new Error(`The changes were not made: ${JSON.stringify(outcome).slice(0, 2000)}`);
      return new Map(JSON.parse(Buffer.from(outcome.result.stdout.text, "base64").toString()) as [string, Fact][]);
    },
    end: () => session.close(),
    remove: async () => {
      await session.close();
      fixture.remove();
    },
  };
};

/** The process that shows a run's overlay, as its mounts tell. */
function guardianOf(runDirectory: string): string {
  const found = readdirSync("/proc").find(
    (pid) => /^\d+$/u.test(pid) && textOf(`/proc/${pid}/comm`) === "warder-host\n" && textOf(`/proc/${pid}/mountinfo`).includes(`${runDirectory}/`),
  );
  if (found === undefined) throw new Error("No guardian shows the overlay.");
  return found;
}

/** Empty for a process that has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EINVAL"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

async function inSession(
  runtime: Runtime,
  viewOf: (fixture: SandboxFixture) => string,
  files: Readonly<Record<string, string>> = {},
  prepareLower?: (workspace: string) => void,
): Promise<OverlaidWorkspace> {
  const fixture = makeFixture(files);
  prepareLower?.(fixture.workspace);
  const { workspace, runDirectory, runId } = fixture;
  const session = await runtime.open(profileOf(fixture), { runId, runDirectory });
  const view = viewOf(fixture);
  return {
    workspace,
    view,
    runDirectory,
    end: () => session.close(),
    review: async (options) => {
      await session.close();
      const review = await openChanges(runDirectory, options);
      if (review === null) throw new Error("There are no changes.");
      return review;
    },
    remove: async () => {
      await session.close();
      fixture.remove();
    },
  };
}
