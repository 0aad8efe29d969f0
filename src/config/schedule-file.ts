import { dirname } from "node:path";
import { z } from "zod";
import { sha256 } from "../base/digest.ts";
import { AgentError } from "../base/errors.ts";
import { errorAt, renderDiagnostics, type PolicyDiagnostic } from "../policy/text/diagnostic.ts";
import type { SourcePosition } from "../policy/decision.ts";
import { durationMs } from "../policy/text/quantity.ts";
import { schemaDiagnostics, type FileWords } from "../policy/text/schema-diagnostics.ts";
import { readYaml } from "../policy/text/yaml.ts";
import { JOB_NAME } from "../schedule/job.ts";
import { readPolicyFile, type PolicyFile } from "./policy/files.ts";

const text = z.string().min(1, "must not be empty").max(1000, "is longer than 1000 characters");
const duration = z
  .string("must be a duration such as 60s, 15m or 1h")
  .refine((value) => durationMs(value) !== null, "must be a duration such as 60s, 15m, 1h or 1d");

const jobSchema = z.strictObject({
  cron: text.describe("Minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly, @yearly."),
  "time-zone": text.describe("The IANA name of the zone that `cron` is read in: Europe/Berlin, UTC."),
  task: z.string().min(1, "must not be empty").max(10_000, "is longer than 10000 characters").describe("What the model is asked for."),
  model: text.describe("PROVIDER:NAME, as for `warder run --model`."),
  workspace: text.describe("The directory that the agent works on; a relative one starts at this file."),
  policy: text.describe("The name of a shipped policy, or a path with a `/`, relative to this file."),
  "catch-up": z.enum(["skip", "once", "all"]).optional().describe("What becomes of moments that passed while nothing could run. Absent: skip."),
  jitter: duration.optional().describe("Each moment is put off by up to this."),
  retries: z.int("must be a whole number").min(0, "must be at least 0").max(10, "must be at most 10").optional(),
  deadline: duration.optional().describe("A run that takes longer is interrupted."),
  notify: text.optional().describe("Where each end is told: file:/PATH, syslog: or command:/PROGRAM ARGUMENTS."),
});

const scheduleSchema = z.strictObject({
  version: z.literal(1, "must be 1, the version of this kind of file"),
  jobs: z.record(z.string().regex(JOB_NAME), jobSchema).describe("The jobs by their names: lower-case letters, digits and hyphens."),
});

/** A job as the file declares it. */
export type DeclaredJob = z.output<typeof jobSchema>;

export type ScheduleFile = {
  readonly file: PolicyFile;
  readonly sha256: string;
  /** Where relative paths in it start. */
  readonly directory: string;
  readonly jobs: ReadonlyMap<string, DeclaredJob>;
  /** Where a key of a job stands; the job itself where the key does not. */
  readonly at: (job: string, key: keyof DeclaredJob) => SourcePosition;
};

const WORDS: FileWords = {
  whole: "The file of schedules",
  key: "a key of a file of schedules",
  misspelt: "A misspelt key would be something that nobody does.",
  manual: "docs/guides/schedules.md",
  name: "a name for a job: lower-case letters, digits and hyphens between them, at most 64",
};

/** Reads a file of jobs. Throws `bad-policy` when it cannot be read, `bad-configuration` with every diagnostic when it says what cannot be. */
export function readScheduleFile(path: string): ScheduleFile {
  const file = readPolicyFile(path, path, "file of jobs");
  const reading = readYaml(file.file, file.text);
  if ("diagnostics" in reading) throw badSchedule(file, reading.diagnostics);
  const parsed = scheduleSchema.safeParse(reading.text.value);
  if (!parsed.success) throw badSchedule(file, schemaDiagnostics(parsed.error.issues, reading.text, WORDS));
  return {
    file,
    sha256: sha256(file.text),
    directory: dirname(file.path),
    jobs: new Map(Object.entries(parsed.data.jobs)),
    at: (job, key) => reading.text.at(["jobs", job, key]),
  };
}

/** What is wrong with a file of jobs beyond its form: the message as it is, at its place. */
export function faultAt(at: SourcePosition, fault: AgentError): PolicyDiagnostic {
  return errorAt(at, fault.message);
}

/** One error for all that is wrong with a file. */
export function badSchedule({ file, text: source }: PolicyFile, diagnostics: readonly PolicyDiagnostic[]): AgentError {
  return new AgentError("bad-configuration", renderDiagnostics(diagnostics, new Map([[file, source]])));
}

/** The JSON Schema of a file of jobs, for editors. */
export function scheduleJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(scheduleSchema, { io: "input", unrepresentable: "any" }),
    title: "Warder schedules",
    description: "Jobs that run by the clock: see docs/guides/schedules.md.",
  };
}
