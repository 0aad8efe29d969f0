import { existsSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import type { SandboxUser, WorkspaceMount } from "../mounts.ts";
import { isOwnerAlive, pidOf } from "../owner.ts";
import type { SandboxProfile } from "../runtime.ts";
import { refuseOpenRewind } from "./open-rewind.ts";
import { mounterOf, readRecord, replacedIn, type WorkspaceRecord, workspacePaths } from "./record.ts";

const BEGUN = { guardian: "as root", engine: "without root, on a container engine", "user-namespace": "without root and without an engine" } as const;

/**
 * The record of an earlier session of this run whose changes are to be continued, or null. Throws when
 * they belong to another workspace or somebody still works with them.
 */
export function continued(
  runDirectory: string,
  profile: Pick<SandboxProfile, "roots" | "repository">,
  { user, mount }: { readonly user: SandboxUser; readonly mount: WorkspaceMount },
): WorkspaceRecord | null {
  const workspace = profile.roots[0]?.path ?? "";
  const record = readRecord(runDirectory);
  refuseOpenRewind(runDirectory);
  if (record === null || record.state === "discarded") return null;
  if (record.state === "open" && isOwnerAlive(record.owner))
    throw new AgentError("sandbox-unavailable", `The workspace of ${record.runId} is in use by process ${pidOf(record.owner)}.`);
  if (record.workspace !== workspace || record.user.uid !== user.uid)
    throw new AgentError("sandbox-unavailable", `The run directory ${runDirectory} holds changes of ${record.workspace}: apply or discard them first.`);
  if (record.mounter !== mounterOf(mount))
    throw new AgentError("sandbox-unavailable", `${record.runId} was begun ${BEGUN[record.mounter ?? "guardian"]}, and can only go on so.`, {
      remedy: `Land or discard its changes first: warder changes list ${record.runId}`,
    });
  const [before, now] = [record.repository, profile.repository];
  if (before?.path !== now?.path || before?.worktree !== now?.worktree)
    throw new AgentError(
      "sandbox-unavailable",
      `The repository of ${workspace} is ${now?.path ?? "another"} now, and was ${before?.path ?? "another"} when ${record.runId} began: its changes lie on that one.`,
      { remedy: `Land or discard them first: warder changes list ${record.runId}` },
    );
  if (existsSync(workspacePaths(runDirectory).rebase))
    throw new AgentError("sandbox-unavailable", `A rebase of ${record.runId} was interrupted.`, {
      remedy: `This ends it: warder changes list ${record.runId}`,
    });
  const replaced = replacedIn(record);
  if (replaced !== null)
    throw new AgentError(
      "sandbox-unavailable",
      `${replaced} is another directory than the one that ${record.runId} began in, on which its changes lie: put that one back, or look at them with \`warder changes list ${record.runId}\` and begin a new run.`,
    );
  return record;
}
