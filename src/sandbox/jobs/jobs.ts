import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { commandEnvironment } from "../command-environment.ts";
import { createJobOutput, type JobOutput } from "./output.ts";
import type { Lane } from "../lane.ts";
import type { ActionResult, JobState, Outcome } from "../outcome.ts";
import type { Redaction } from "../redaction.ts";
import { execOutcome } from "../supervisor/outcomes.ts";
import type { JobAction, OpenOptions, SandboxProfile } from "../runtime.ts";
import { createFreezer } from "./freeze.ts";

export type JobsParts = {
  readonly profile: SandboxProfile;
  readonly redaction: Redaction;
  readonly options: Pick<OpenOptions, "onJobEnd" | "mayGoOn">;
  /** The lane that commands run in now, and HOME in it. */
  readonly main: () => { readonly lane: Lane; readonly home: string; readonly hooks: string | null };
  /** Another lane on the same workspace. Throws `sandbox-unavailable`. */
  readonly openLane: () => Promise<Lane>;
  /** Looks at what a job left in the workspace: another outcome where it must not stay. */
  readonly judge: (outcome: Outcome) => Promise<Outcome>;
};

/** The jobs of a session: commands in lanes of their own, that go on while the session's other actions are not being performed. */
export type Jobs = {
  perform(action: JobAction, signal: AbortSignal | undefined): Promise<Outcome>;
  still<T>(work: () => Promise<T>): Promise<T>;
  /** Why there are none, in a sentence; null: there may be. */
  lack(): string | null;
  /** Whether any is running. */
  areRunning(): boolean;
  /** Ends all and waits for it. Throws what recording an end threw. */
  stop(): Promise<void>;
};

/** Lanes share the run's memory in equal parts; of a smaller one hardly a compiler runs. */
const MAX_JOBS = 2;
/** Of ended jobs. */
const MAX_REMEMBERED = 32;
const MAX_KEPT_CHARACTERS = 256 * 1024;
/** A command that fails at once is told as that, and not as running. */
const FIRST_LOOK_MS = 150;
const POLL_MS = 250;
const NO_JOBS =
  "This sandbox keeps no job beside commands: the control groups (memory, pids, cpu and freezer) that hold its limits are not this user's to write. Run Warder as root, or on Docker Engine of root's.";

type Job = {
  readonly id: string;
  readonly argv: readonly string[];
  readonly lane: Lane;
  readonly output: JobOutput;
  readonly stop: AbortController;
  /** Resolved when its command has ended; it counts as running until its lane is gone. */
  readonly ran: PromiseWithResolvers<undefined>;
  readonly startedMs: number;
  readonly waiting: Set<() => void>;
  /** Characters that were read. */
  cursor: number;
  ending: JobState["ending"];
  endedMs: number | null;
  done: Promise<void>;
};

export function openJobs(parts: JobsParts): Jobs {
  const known = new Map<string, Job>();
  const faults: Error[] = [];
  let isStopping = false;
  let last: Promise<unknown> = Promise.resolve();
  /** One lane comes or goes at a time: each changes the parts of all. */
  const arrange = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  const running = (): readonly Job[] => [...known.values()].filter((job) => job.ending === null);
  const freezer = createFreezer(
    () => running().map((job) => job.lane),
    (lane) => lane.close(),
  );

  /** Gives the commands' lane and every job's one of `count` equal parts. */
  const share = async (count: number, lanes: readonly Lane[]): Promise<boolean> => {
    for (const lane of lanes) if ((await lane.hold?.limit(1 / count)) !== true) return false;
    return true;
  };
  const shareAgain = async (): Promise<void> => {
    const lanes = [parts.main().lane, ...running().map((job) => job.lane)];
    await share(lanes.length, lanes);
  };

  const lack = (): string | null => (parts.main().lane.hold === undefined ? NO_JOBS : null);
  const start = async (action: Extract<JobAction, { kind: "start-job" }>): Promise<Job | Outcome> => {
    if (isStopping) return { kind: "cancelled", partial: null, durationMs: 0 };
    const jobs = running();
    if (lack() !== null) return failed("unsupported", NO_JOBS);
    if (jobs.length >= MAX_JOBS) return failed("too-many-jobs", `${String(MAX_JOBS)} jobs run at once at most.`);
    const others = [parts.main().lane, ...jobs.map((job) => job.lane)];
    let lane: Lane | null = null;
    try {
      if (await share(others.length + 1, others)) lane = await parts.openLane();
      if (lane !== null && (await share(others.length + 1, [lane]))) return begin(action, lane);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      await lane?.close();
      await shareAgain();
      return failed("io", error.message);
    }
    await lane?.close();
    await shareAgain();
    return failed("no-room-for-job", "What runs already uses more than its part of the memory would be.");
  };

  const begin = (action: Extract<JobAction, { kind: "start-job" }>, lane: Lane): Job => {
    const job: Job = {
      id: newId("job"),
      argv: action.argv,
      lane,
      output: createJobOutput(MAX_KEPT_CHARACTERS),
      stop: new AbortController(),
      ran: Promise.withResolvers(),
      startedMs: performance.now(),
      waiting: new Set(),
      cursor: 0,
      ending: null,
      endedMs: null,
      done: Promise.resolve(),
    };
    known.set(job.id, job);
    const oldest = [...known.values()].find((other) => other.ending !== null);
    if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest.id);
    job.done = follow(job, action).catch((error: unknown) => {
      faults.push(asError(error));
    });
    return job;
  };

  const follow = async (job: Job, action: Extract<JobAction, { kind: "start-job" }>): Promise<void> => {
    const { options, profile, redaction } = parts;
    const live = redaction.joined((text) => {
      job.output.add(text);
      for (const wake of job.waiting) wake();
    });
    const ran = job.lane.supervisor.exec(
      {
        argv: action.argv,
        cwd: action.cwd,
        env: { ...action.env, ...commandEnvironment(profile, parts.main().home, parts.main().hooks) },
        timeoutMs: action.timeoutMs,
        outputBytes: 0,
        keeps: "nothing",
      },
      { signal: job.stop.signal, onOutput: live.take },
    );
    const watch = setInterval(() => {
      if (options.mayGoOn?.() === false) job.stop.abort();
    }, POLL_MS);
    const reply = await ran.finally(() => {
      clearInterval(watch);
    });
    live.finish();
    await ended(job, await parts.judge(execOutcome(reply, { isCancelled: job.stop.signal.aborted, timeoutMs: action.timeoutMs })));
  };

  /** Recorded first; told to nobody before its lane is gone and its part of the limits is given back. */
  const ended = async (job: Job, outcome: Outcome): Promise<void> => {
    const ending = endingOf(outcome);
    job.endedMs = performance.now();
    job.ran.resolve(undefined);
    const { written, durationMs } = stateOf(job);
    try {
      parts.options.onJobEnd?.({ job: job.id, outcome: outcome.kind, exitCode: ending.exitCode, written, durationMs });
    } catch (error) {
      faults.push(asError(error));
    }
    await arrange(async () => {
      await job.lane.close();
      job.ending = ending;
      if (!isStopping) await shareAgain();
    });
    for (const wake of job.waiting) wake();
  };

  const read = async (job: Job, action: Extract<JobAction, { kind: "read-job" }>, signal: AbortSignal | undefined): Promise<Outcome> => {
    const from = action.from ?? job.cursor;
    const until = performance.now() + action.waitMs;
    const isOver = (): boolean => job.ending !== null || job.output.written() > from || performance.now() >= until || signal?.aborted === true;
    while (!isOver()) await woken(job, until - performance.now(), signal);
    const part = job.output.read(from, action.maxCharacters);
    job.cursor = part.next;
    return completed({ kind: "job-output", job: stateOf(job), ...part });
  };

  const firstLook = async (started: Job | Outcome): Promise<Outcome> => {
    if ("kind" in started) return started;
    await Promise.race([started.ran.promise, sleep(FIRST_LOOK_MS)]);
    if (started.endedMs !== null) await started.done;
    return completed({ kind: "job", job: stateOf(started) });
  };

  const end = async (job: Job): Promise<void> => {
    job.stop.abort();
    await job.done;
  };

  const perform = async (action: JobAction, signal: AbortSignal | undefined): Promise<Outcome> => {
    throwFirst(faults);
    if (action.kind === "start-job") return await firstLook(await arrange(() => start(action)));
    if (action.kind === "list-jobs") return completed({ kind: "jobs", jobs: [...known.values()].map(stateOf) });
    const job = known.get(action.job);
    if (job === undefined) return failed("no-such-job", `There is no job ${action.job}.`);
    if (action.kind === "read-job") return await read(job, action, signal);
    if (job.ending === null) await end(job);
    return completed({ kind: "job", job: stateOf(job) });
  };

  return {
    perform,
    lack,
    areRunning: () => running().length > 0,
    still: async (work) => {
      throwFirst(faults);
      return await freezer.whileFrozen(work);
    },
    stop: async () => {
      isStopping = true;
      // A lane that is being opened becomes a job first, and ends with the others.
      await last;
      await Promise.all(running().map(end));
      isStopping = false;
      throwFirst(faults);
    },
  };
}

const asError = (fault: unknown): Error => (fault instanceof Error ? fault : new AgentError("broken-invariant", "A job failed with what is no error."));

function stateOf(job: Job): JobState {
  const { id, argv, ending } = job;
  return { id, argv, ending, written: job.output.written(), durationMs: Math.round((job.endedMs ?? performance.now()) - job.startedMs) };
}

function endingOf(outcome: Outcome): NonNullable<JobState["ending"]> {
  const result = outcome.kind === "completed" ? outcome.result : "partial" in outcome ? outcome.partial : null;
  const ran = result?.kind === "exec" ? result : null;
  return { outcome: outcome.kind, exitCode: ran?.exitCode ?? null, signal: ran?.signal ?? null };
}

const completed = (result: ActionResult): Outcome => ({ kind: "completed", result, durationMs: 0 });
const failed = (code: string, reason: string): Outcome => ({ kind: "failed", code, reason, durationMs: 0 });

function throwFirst(faults: readonly Error[]): void {
  const [fault] = faults;
  if (fault !== undefined) throw fault;
}

/** Until the job writes or ends, the time is over, or nobody waits any more. */
async function woken(job: Job, limitMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const wake = (): void => {
    resolve(undefined);
  };
  const timer = setTimeout(wake, limitMs);
  signal?.addEventListener("abort", wake, { once: true });
  job.waiting.add(wake);
  await promise;
  job.waiting.delete(wake);
  signal?.removeEventListener("abort", wake);
  clearTimeout(timer);
}
