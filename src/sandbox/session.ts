import { AgentError } from "../base/errors.ts";
import { digestOf } from "../base/digest.ts";
import { newId } from "../base/ids.ts";
import { hasNetwork } from "../policy/matching/network-entries.ts";
import type { PathFact } from "../policy/facts.ts";
import type { SessionTraffic } from "./egress/session.ts";
import { createHookLane, type HookLane } from "./hook-lane.ts";
import { hearRefusals } from "./egress/traffic/refused-connections.ts";
import type { Lane } from "./lane.ts";
import { bytesOf, closeParts, openJobLane, openParts, type Opened, type SessionPlan, textOf } from "./parts.ts";
import { MAX_NAMES } from "./runtime.ts";
import { type BrowserLane, createBrowserLane } from "./browser/lane.ts";
import { lackOfBrowser } from "./browser/lack.ts";
import { performAction, requestIn } from "./actions.ts";
import { type Outcome, withNetwork, withSharedRefs } from "./outcome.ts";
import { openJobs } from "./jobs/jobs.ts";
import { createRedaction, type Redaction, secretsIn } from "./redaction.ts";
import { isJobAction, type JobAction, type PerformOptions, type BrowseAction, type RequestAction, type SandboxAction, type Session } from "./runtime.ts";
import { readRecord } from "./workspace/record.ts";
import { changesOf } from "./workspace/changes/landed.ts";
import { branchWorkspace } from "./turns/branch.ts";
import { keepTurn } from "./turns/keep.ts";

const MAX_PATHS_PER_CALL = 4096;
/** As deep as the supervisor lists. What lies deeper it leaves out. */
const MAX_LISTED_DEPTH = 64;
/** Of paths in what a person is told. */
const MAX_NAMED = 20;

/** Opens a session on whatever runtime `openLane` stands for. Throws what it throws; then nothing is left. */
export async function openSession(given: SessionPlan): Promise<Session> {
  const refusals = hearRefusals(given.options);
  const plan = { ...given, options: refusals.options };
  const { profile, options } = plan;
  const traffic: SessionTraffic = new Map(options.spent);
  let opened: Opened | null = await openParts(plan, traffic);
  const { imageDigest } = opened.lane;
  const noBrowser = lackOfBrowser(plan);
  const secrets = new Map([...secretsIn(profile.env), ...(options.secrets ?? []), ...(options.hidden ?? [])]);
  const redaction = createRedaction(secrets);
  let closing: Promise<void> | null = null;
  let hookLane: HookLane | null = null;
  let browserLane: BrowserLane | null = null;

  const current = (): Opened => {
    if (opened === null) throw new AgentError("broken-invariant", "The session is closed.");
    return opened;
  };
  const looking = (): HookLane => (hookLane ??= createHookLane(plan, current(), redaction));
  const browse = async ({ order }: BrowseAction, signal = new AbortController().signal): Promise<Outcome> => {
    const { openInImage: openLane } = plan;
    const { browserImage: image, onBrowserOpen: onOpen } = options;
    if (openLane === undefined || image === undefined) return { kind: "failed", code: "unsupported", reason: noBrowser ?? "", durationMs: 0 };
    browserLane ??= createBrowserLane({ plan, openLane, image, onOpen }, current());
    return await browserLane.perform(order, signal);
  };
  /** Ends what works beside the commands. */
  const endBeside = async (): Promise<void> => {
    const last = [hookLane, browserLane];
    hookLane = null;
    browserLane = null;
    for (const lane of last) await lane?.close();
  };
  const jobs = openJobs({
    profile,
    redaction,
    options,
    main: () => ({ lane: current().lane, home: current().workspace.home, hooks: current().workspace.hooks }),
    openLane: () => openJobLane(plan, current()),
    judge: (outcome) => judgeBound(outcome, current()),
  });
  const close = async (): Promise<void> => {
    try {
      await jobs.stop();
    } finally {
      const last = opened;
      opened = null;
      try {
        await endBeside();
      } finally {
        if (last !== null) await closeParts(last, options.runDirectory);
      }
    }
  };

  return {
    id: newId("session"),
    runtime: plan.runtime,
    noBrowser,
    noJobs: jobs.lack(),
    mount: opened.workspace.mount,
    probed: opened.probed,
    imageDigest,
    profile,
    publicOnly: opened.workspace.publicOnly,
    publicHeld: opened.workspace.publicHeld,
    privateKeys: opened.workspace.privateKeys,
    redact: redaction.text,
    // Not async: the misuse of a permit throws at once.
    perform: (permit, action, performOptions = {}) => {
      permit.spend(digestOf(action));
      if (action.kind === "request") return requestIn(current(), action, { trusted: options.trusted, signal: performOptions.signal });
      if (action.kind === "browse") return browse(action, performOptions.signal);
      return isJobAction(action)
        ? jobs.perform(action, performOptions.signal)
        : jobs.still(async () => {
            refusals.take();
            const ended = await performIn(current(), action, { ...performOptions, redaction });
            const outcome = opened?.workspace.bound?.sharesRefs === true ? withSharedRefs(ended) : ended;
            return withNetwork(outcome, !hasNetwork(profile.settings.network) ? "none" : refusals.take());
          });
    },
    still: (work) => jobs.still(work),
    keepTurn: async (turn, after) =>
      current().workspace.isTransactional ? jobs.still(() => keepTurn(options.runDirectory, { turn, after, isSettled: !jobs.areRunning() })) : null,
    branch: async (to) => {
      if (!current().workspace.isTransactional) throw new AgentError("usage", "The workspace of this run is not kept apart, so there is no other over it.");
      await jobs.still(() => branchWorkspace(options.runDirectory, to, !jobs.areRunning()));
    },
    stopJobs: () => jobs.stop(),
    look: (command, signal) => looking().look(command, signal),
    lacks: (programs) => looking().lacks(programs),
    resolve: async (paths) => {
      const facts: PathFact[] = [];
      for (let at = 0; at < paths.length; at += MAX_PATHS_PER_CALL)
        facts.push(...(await resolvePart(current().lane, paths.slice(at, at + MAX_PATHS_PER_CALL))));
      return facts;
    },
    hash: async (paths) => {
      const digests: (string | null)[] = [];
      for (let at = 0; at < paths.length; at += MAX_PATHS_PER_CALL) {
        const part = paths.slice(at, at + MAX_PATHS_PER_CALL);
        const reply = await current().lane.supervisor.hash(part);
        digests.push(...(reply.kind === "done" ? reply.value : part.map(() => null)));
      }
      return digests;
    },
    texts: async (paths) => {
      const texts = new Map<string, string | null>();
      for (const path of paths) texts.set(path, await textOf(current().lane, path));
      return texts;
    },
    bytes: (path, most) => bytesOf(current().lane, path, most),
    names: (directory, depth) => namesBelow(current().lane, directory, depth),
    changes: async () => {
      await current().workspace.fetch();
      const record = readRecord(options.runDirectory);
      if (!current().workspace.isTransactional || record === null)
        throw new AgentError("usage", "Only a transactional workspace has changes to review: the policy's `sandbox.workspace` is another.");
      return changesOf(options.runDirectory, record);
    },
    close: () => (closing ??= close()),
  };
}

async function performIn(
  parts: Opened,
  action: Exclude<SandboxAction, JobAction | RequestAction | BrowseAction>,
  { redaction, ...options }: PerformOptions & { readonly redaction: Redaction },
): Promise<Outcome> {
  const { lane, workspace } = parts;
  const before = workspace.uncovered();
  if (before.length > 0) return await endBound(lane, [uncoveredReason(before)], 0);
  return await judgeBound(
    await performAction({ lane, profile: workspace.profile, home: workspace.home, hooks: workspace.hooks, redaction }, action, options),
    parts,
  );
}

/** In a bound workspace a command that leaves what policy forbids ends the session, whatever else came of it. So does a mount that is gone, in any. */
async function judgeBound(outcome: Outcome, { workspace, lane }: Opened): Promise<Outcome> {
  const reasons: string[] = [];
  try {
    const gone = workspace.uncovered();
    if (gone.length > 0) reasons.push(uncoveredReason(gone));
    const { taken, faults } = workspace.bound?.check() ?? { taken: [], faults: [] };
    if (taken.length > 0) reasons.push(`It left what the policy forbids or protects, now in quarantine in the run's directory: ${firstOf(taken, ", ")}.`);
    if (faults.length > 0) reasons.push(`It left what cannot be judged: ${firstOf(faults, "; ")}`);
  } catch (error) {
    // Whatever it is: where nobody looked, no further command runs.
    reasons.push(`It left what cannot be judged: ${error instanceof Error ? error.message : String(error)}`);
  }
  return reasons.length === 0 ? outcome : await endBound(lane, reasons, outcome.durationMs);
}

async function endBound(lane: Lane, reasons: readonly string[], durationMs: number): Promise<Outcome> {
  await lane.close();
  return { kind: "failed", code: "quarantined", reason: `${reasons.join(" ")} The session has ended.`, durationMs };
}

function uncoveredReason(paths: readonly string[]): string {
  return `Somebody replaced on this machine what the sandbox hides or protects, and its mount is gone: ${firstOf(paths, ", ")}. Look at it, and begin anew.`;
}

function firstOf(all: readonly string[], separator: string): string {
  const more = all.length > MAX_NAMED ? `${separator}and ${String(all.length - MAX_NAMED)} more` : "";
  return all.slice(0, MAX_NAMED).join(separator) + more;
}

async function resolvePart(lane: Lane, paths: readonly string[]): Promise<readonly PathFact[]> {
  const reply = await lane.supervisor.resolve(paths);
  if (reply.kind === "failed")
    return paths.map((path) => ({ path, real: path, type: "missing" as const, links: 0, error: reply.reason === "" ? reply.code : reply.reason }));
  return reply.value.map((measured) => ({
    path: measured.path,
    real: measured.real,
    type: measured.type,
    links: measured.links,
    ...(measured.failure === undefined ? {} : { error: measured.failure }),
  }));
}

async function namesBelow(lane: Lane, path: string, depth?: 1): Promise<readonly string[] | null> {
  const reply = await lane.supervisor.list({ path, depth: depth ?? MAX_LISTED_DEPTH, maxEntries: MAX_NAMES });
  if (reply.kind === "failed" || reply.value.isTruncated) return null;
  const names = reply.value.entries.map(({ name }) => name);
  return names.some((name) => name.split("/").length >= MAX_LISTED_DEPTH) ? null : names;
}
