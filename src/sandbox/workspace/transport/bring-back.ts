import { basename } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import type { LeftElsewhere } from "../../mounts.ts";
import { owedFrom, readRecord } from "../record.ts";

/** What lies on an engine elsewhere is no change to look at before it is here. */
export async function bringBack(
  runDirectory: string,
  { address, store }: LeftElsewhere,
  endSandboxes: (() => Promise<readonly string[]>) | undefined,
): Promise<void> {
  const problem = `What ${basename(runDirectory)} wrote is still on the engine at ${address}. Nothing of it is lost.`;
  let lines: readonly string[] = [];
  try {
    lines = (await endSandboxes?.()) ?? [];
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw new AgentError("sandbox-unavailable", `${problem} ${error.problem}`, {
      cause: error,
      remedy: "Try again when the engine answers, with the same DOCKER_HOST.",
    });
  }
  const record = readRecord(runDirectory);
  if (record === null || owedFrom(record) === null) return;
  const reason = lines.find((line) => line.includes(basename(runDirectory)));
  throw new AgentError("sandbox-unavailable", `${problem}${reason === undefined ? "" : ` It was tried: ${reason}`}`, {
    remedy: `Try again with the same DOCKER_HOST. To throw it away there: docker volume rm ${store}`,
  });
}
