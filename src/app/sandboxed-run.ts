import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { terminalChannel } from "../approvals/terminal.ts";
import { appendAudit } from "../audit/audit-log.ts";
import type { AuditPayload } from "../audit/entry.ts";
import { systemClock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { createGate, type Gate } from "../gate/create-gate.ts";
import { DEFAULT_APPROVAL_TIMEOUT_MS } from "../gate/gate-parts.ts";
import { profileDigest } from "../gate/ruling.ts";
import type { Policy } from "../policy/policy.ts";
import type { OpenOptions, Session } from "../sandbox/runtime.ts";
import { ownerOfThisProcess } from "../store/process-owner.ts";
import { createRegistry, type ToolRegistry } from "../tools/registry.ts";
import { egressOptions } from "./egress-records.ts";
import { openRecords, type Records } from "./records.ts";
import { profileOf } from "./profile.ts";
import { runtimeNamed } from "./runtimes.ts";
import type { Surroundings } from "./surroundings.ts";

export type RunDescription = {
  readonly task: string | null;
  readonly model: string | null;
  readonly isScripted: boolean;
  /** Whether a person may be asked at this process's terminal. */
  readonly canAsk: boolean;
};

/** One run with everything it is made of: sandbox open, gate ready, start recorded. */
export type SandboxedRun = {
  readonly id: string;
  readonly policy: Policy;
  readonly tools: ToolRegistry;
  readonly gate: Gate;
  readonly session: Session;
  readonly records: Records;
  /** Closes the sandbox and records how the run ended. Idempotent; the first ending counts. */
  end(ending: string, detail?: string): Promise<void>;
};

/**
 * Opens a run: loads nothing, decides nothing. Removes what dead owners left, records policy and start, opens the
 * sandbox. Throws `sandbox-unavailable`, `audit-unavailable` or `store-unavailable`; then nothing is left open.
 */
export async function openRun(surroundings: Surroundings, description: RunDescription): Promise<SandboxedRun> {
  const records = openRecords();
  const id = newId("run");
  let session: Session | null = null;
  let isStarted = false;
  const record = (payload: AuditPayload): void => void appendAudit(records.audit, { run: id, payload });
  const end = async (ending: string, detail?: string): Promise<void> => {
    if (!isStarted) return;
    isStarted = false;
    try {
      if (session !== null) {
        await session.close();
        record({ kind: "sandbox-closed", session: session.id });
      }
      record({ kind: "run-end", ending, ...(detail === undefined ? {} : { detail }) });
      records.store.runs.end(id, ending, systemClock.nowMs());
    } finally {
      records.store.close();
    }
  };
  try {
    const { policy, workspace } = surroundings;
    record({ kind: "policy-loaded", name: policy.name, policy: policy.digest, files: policy.files });
    const { task, model } = description;
    records.store.runs.start({
      id,
      workspace,
      policyName: policy.name,
      policyDigest: policy.digest,
      task,
      model,
      owner: ownerOfThisProcess(),
      startedAtMs: systemClock.nowMs(),
    });
    isStarted = true;
    record({ kind: "run-start", workspace, policy: policy.digest, autonomy: policy.autonomy, task, model, isScripted: description.isScripted });
    session = await openSession(surroundings, records, { runId: id, ...egressOptions(surroundings, records, id) });
    records.store.runs.setSession(id, session.id);
    record({ kind: "sandbox-opened", session: session.id, runtime: session.runtime, image: session.imageDigest, profile: profileDigest(session) });
    const tools = createRegistry();
    const gate = createGate({
      runId: id,
      policy,
      tools,
      setting: { workspace, home: surroundings.home },
      session,
      store: records.store,
      audit: records.audit,
      clock: systemClock,
      channel: description.canAsk ? terminalChannel() : null,
      approvalTimeoutMs: DEFAULT_APPROVAL_TIMEOUT_MS,
      ownPaths: surroundings.ownPaths,
    });
    return { id, policy, tools, gate, session, records, end };
  } catch (error) {
    if (isStarted) await end("failed", error instanceof Error ? error.message : "unknown fault");
    else records.store.close();
    throw error;
  }
}

async function openSession(surroundings: Surroundings, records: Records, options: Omit<OpenOptions, "runDirectory">): Promise<Session> {
  const runtime = await runtimeNamed(surroundings.policy.sandbox.runtime);
  await runtime.reap(records.store.paths.directory);
  const runDirectory = join(records.store.paths.runs, options.runId);
  mkdirSync(runDirectory, { mode: 0o700 });
  return await runtime.open(profileOf(surroundings.policy, { ...surroundings, environment: process.env }), { ...options, runDirectory });
}
