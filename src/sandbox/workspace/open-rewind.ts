import { existsSync } from "node:fs";
import { basename } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { workspacePaths } from "./record.ts";

/** Whether a rewind of the run was begun and did not end. */
export function hasOpenRewind(runDirectory: string): boolean {
  const { rewound, replaced } = workspacePaths(runDirectory);
  return existsSync(rewound) || existsSync(replaced);
}

/** Throws `sandbox-unavailable` where what lies there is half of a rewind: nothing is made of it. */
export function refuseOpenRewind(runDirectory: string): void {
  if (!hasOpenRewind(runDirectory)) return;
  const runId = basename(runDirectory);
  throw new AgentError("sandbox-unavailable", `A rewind of ${runId} was interrupted.`, { remedy: `This ends it: warder runs show ${runId}` });
}
