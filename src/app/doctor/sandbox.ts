import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { imagesByName } from "../../config/state/images.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import { newId } from "../../base/ids.ts";
import type { Inspection, Property, Runtime } from "../../sandbox/runtime.ts";
import { profileOf } from "../setup/profile.ts";
import { withRecords } from "../records/records.ts";
import { runtimeNamed } from "../setup/runtimes.ts";
import { lackingProgram } from "../hooks/commands.ts";
import { withTemporaryWorkspace } from "../setup/temporary-workspace.ts";
import { readContext, type WorkspaceContext } from "../setup/context.ts";

/** A sandbox as a policy makes it, looked at while it runs. */
export type SandboxReport = {
  readonly policy: string;
  readonly runtime: string;
  readonly properties: readonly Property[];
  /** How its workspace is shown; null when none was opened. */
  readonly mount: Inspection["mount"] | null;
  /** Null when a sandbox was opened and looked at; else why there was none. */
  readonly failure: string | null;
};

/**
 * Opens a sandbox with a policy's hardening over an empty workspace of its own, looks at it from outside and inside, and closes it. Throws
 * `bad-policy` for a policy that cannot be loaded.
 */
export async function examineSandbox(policyName: string): Promise<SandboxReport> {
  let report = { policy: policyName, runtime: "not chosen" };
  const failed = (error: unknown): SandboxReport => {
    if (!(error instanceof AgentError) || error.code === "bad-policy") throw error;
    return { ...report, properties: [], mount: null, failure: error.message };
  };
  return await withTemporaryWorkspace("warder-doctor-", async (workspace) => {
    const context = readContext(policyName, workspace);
    const { policy } = context;
    const runtime = await runtimeNamed(policy.sandbox.runtime);
    report = { policy: policy.name, runtime: runtime.name };
    return { ...report, ...(await lookInside(context, runtime)), failure: null };
  }).catch(failed);
}

async function lookInside(context: WorkspaceContext, runtime: Runtime): Promise<Inspection> {
  const profile = profileOf(context.policy, { ...context, environment: process.env, imageNamed: imagesByName(stateDirectory(process.env)) });
  // What is looked at is the same with and without a way out: no proxy is started for it.
  const sealed = { ...profile, settings: { ...profile.settings, network: { allow: [] } } };
  const inspection = await inRunDirectory((options) => runtime.inspect(sealed, options));
  if (context.policy.hooks === undefined) return inspection;
  const found = await inRunDirectory(async (options) => {
    const session = await runtime.open(sealed, options);
    try {
      return await lackingProgram(context.policy, session);
    } finally {
      await session.close();
    }
  });
  const programs = { what: "programs of hooks", expected: ALL_THERE, found: found ?? ALL_THERE, isMet: found === null, seenFrom: "inside" as const };
  return { ...inspection, properties: [...inspection.properties, programs] };
}

const ALL_THERE = "all there";

async function inRunDirectory<T>(work: (options: { readonly runId: string; readonly runDirectory: string }) => Promise<T>): Promise<T> {
  const runId = newId("run");
  const runDirectory = join(
    withRecords(({ store }) => store.paths.runs),
    runId,
  );
  mkdirSync(runDirectory, { mode: 0o700 });
  try {
    return await work({ runId, runDirectory });
  } finally {
    rmSync(runDirectory, { recursive: true, force: true });
  }
}
