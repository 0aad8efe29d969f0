import type { JobState, Outcome } from "../../sandbox/outcome.ts";
import { endingError, untrustedError, untrustedText } from "../contract/result.ts";
import type { ToolResult } from "../contract/tool.ts";

/** What the model reads of jobs: a line for each, and what was asked for of its output. `subject` names what it was about. */
export function renderJob(outcome: Outcome, subject: string): ToolResult {
  if (outcome.kind !== "completed") return endingError(outcome, subject);
  const { result } = outcome;
  if (result.kind === "job") return untrustedText(`${lineOf(result.job)}\n`, { job: result.job });
  if (result.kind === "jobs") return untrustedText(result.jobs.length === 0 ? "no jobs\n" : result.jobs.map((job) => `${lineOf(job)}\n`).join(""));
  if (result.kind !== "job-output") return untrustedError("Failed: the sandbox answered with something else.");
  const { job, text, from, next } = result;
  const more = next < job.written ? `\n[${job.written - next} more characters: read_job again]` : "";
  const part = text === "" ? "no new output" : `output, characters ${from} to ${next}:\n${text}${more}`;
  return untrustedText(`${lineOf(job)}\n${part}${part.endsWith("\n") ? "" : "\n"}`, { job, from, next });
}

function lineOf({ id, argv, ending, written, durationMs }: JobState): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const state = ending === null ? `running for ${seconds}` : `${endingText(ending)} after ${seconds}`;
  return `${id}: ${state}, ${written} characters written: ${argv.at(-1) ?? ""}`;
}

function endingText({ outcome, exitCode, signal }: NonNullable<JobState["ending"]>): string {
  if (outcome === "completed") return exitCode === null ? `ended by signal ${signal ?? "unknown"}` : `ended with exit code ${exitCode}`;
  return { "timed-out": "stopped at its time limit", "output-limit": "stopped at its output limit", cancelled: "stopped", denied: "denied", failed: "failed" }[
    outcome
  ];
}
