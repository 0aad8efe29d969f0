import { existsSync } from "node:fs";
import { join } from "node:path";
import { appendAudit } from "../../audit/log/log.ts";
import { tailAudit } from "../../audit/log/read.ts";
import { ownAccount } from "../../approvals/terminal/account.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { budgetOf } from "../../budgets/accounts.ts";
import { charge } from "../../budgets/budget.ts";
import { readSecrets } from "../../config/secrets.ts";
import { secretsIn } from "../../sandbox/redaction.ts";
import { recordMove } from "../../gate/budget-record.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { ApplyReport } from "../../landing/files/report.ts";
import { peekChanges } from "../../landing/review/peek.ts";
import { undoable } from "../../sandbox/workspace/changes/set-aside.ts";
import { unkeptOf } from "../../landing/undo/undo.ts";
import { openChanges, type ClosedReview, type FlaggedChange, type RebaseReport, unnamedFlagged } from "../../landing/review/review.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { settleOpenRewind } from "../records/open-rewind.ts";
import { openRecords, type Records } from "../records/records.ts";
import { readContext, type WorkspaceContext } from "../setup/context.ts";
import { runtimeNamed } from "../setup/runtimes.ts";
import { judgeWrites } from "./denied-writes.ts";
import { type PreparedRequest, prepareRequest } from "./request.ts";

/** As a run hides its process's own: shorter values are found by chance. */
const MIN_SECRET_CHARACTERS = 8;

/** The changes of a run. One that is going on is looked at and no more. Paths are relative to the workspace, or absolute in it, or globs; none mean all changes. */
export type RunReview = {
  /** Whether the run is still going: what is shown is how it stands at this moment. */
  readonly isGoing: boolean;
  /** Nobody looked on, and it was done in a repository: its work goes to a branch. */
  readonly isForBranch: boolean;
  /** How many changes there are. */
  count(): number;
  /** With the reasons to look at each before it lands. */
  list(paths: readonly string[]): Promise<readonly FlaggedChange[]>;
  /** Those of them that a person is asked about: flagged, and not named by their own path. */
  toAskAbout(paths: readonly string[]): Promise<readonly FlaggedChange[]>;
  diff(maxBytes: number, paths: readonly string[]): Promise<string>;
  /** How to take back what was last done with its changes, or null. */
  undoAdvice(): string | null;
  /** Judges every path again under the run's policy as it is now, applies what it does not deny, and records it before and after. */
  apply(paths: readonly string[]): Promise<LandingReport>;
  /** The same onto a new branch of the workspace's repository, where nothing else changes. Null: a name made of the run's. */
  branch(name: string | null): Promise<BranchReport>;
  /** Brings the run onto where its branch is now; what conflicts leaves it as it was. */
  rebase(): Promise<RebaseReport>;
  /** Makes that branch if it is not there, and says what a push of it would do. Null: to the remote that is configured. */
  request(remote: string | null): Promise<PreparedRequest>;
  /** Returns what was thrown away; null: everything, which cannot be listed. */
  discard(paths: readonly string[]): Promise<readonly Change[] | null>;
  close(): Promise<void>;
};

/** As a session's report, with what there was to look at. */
export type LandingReport = {
  readonly applied: readonly FlaggedChange[];
  readonly refused: readonly { readonly change: FlaggedChange; readonly reason: string }[];
  /** Paths of what it replaced and could not keep: of these nothing can be taken back. */ readonly unkept: readonly string[];
};

/** A branch with what a run did; `applied`: what it left uncommitted, in the last commit. */
export type BranchReport = LandingReport & {
  readonly branch: string;
  readonly commit: string;
  /** That have one of this name, too. */ readonly submodules: readonly string[];
};

/** Throws `usage` when there is no such run, it left nothing, or its workspace is gone. */
export async function openReview(runId: string): Promise<RunReview> {
  const records = openRecords();
  try {
    const row = rowOf(records, runId);
    await settleOpenRewind(records, runId);
    const isForBranch = row.isUnattended && row.task !== null && existsSync(join(row.workspace, ".git"));
    const directory = join(records.store.paths.runs, runId);
    const place = { records, runId, workspace: row.workspace, directory, isForBranch };
    const secrets = knownSecrets(place);
    const going = peekChanges(directory, { secrets });
    if (going !== null) return goingReview(going, place);
    const review = await openChanges(directory, {
      secrets,
      endSandboxes: async () => (await runtimeNamed("docker")).reap(records.store.paths.directory),
    });
    if (review === null) throw nothingLeft(place);
    return reviewOf(review, place);
  } catch (error) {
    records.store.close();
    throw error;
  }
}

/** Throws `usage` when there is no such run. */
export function rowOf({ store }: Records, runId: string): RunRow {
  const row = store.runs.byId(runId);
  if (row === null) throw new AgentError("usage", `There is no run ${makeVisibleLine(runId)}.`, { remedy: "See: warder runs" });
  return row;
}

function nothingLeft(place: Place): AgentError {
  const advice = undoAdvice(place);
  const problem = `${place.runId} left no changes: it made none, they were landed or discarded, or its workspace was not transactional.`;
  return new AgentError("usage", problem, advice === null ? {} : { remedy: advice });
}

function undoAdvice({ runId, directory }: Pick<Place, "runId" | "directory">): string | null {
  const [last] = undoable(directory, systemClock.nowMs());
  return last === undefined ? null : `To take its last ${last.what === "discard" ? "discard" : "landing"} back: warder changes undo ${runId}`;
}

function goingReview(going: NonNullable<ReturnType<typeof peekChanges>>, { records: { store }, runId, isForBranch }: Place): RunReview {
  const within = (paths: readonly string[]): readonly string[] => paths.map((path) => relativePath(path, going.record.workspace));
  const refuse = (): Promise<never> =>
    Promise.reject(new AgentError("usage", `${runId} is still going: its changes can be landed or discarded when it has ended.`));
  return {
    isGoing: true,
    isForBranch,
    count: () => going.list().length,
    undoAdvice: () => null,
    toAskAbout: refuse,
    list: (paths) => going.flagged(within(paths)),
    diff: (maxBytes, paths) => going.diff(maxBytes, within(paths)),
    apply: refuse,
    branch: refuse,
    rebase: refuse,
    request: refuse,
    discard: refuse,
    close: () => {
      store.close();
      return Promise.resolve();
    },
  };
}

type Place = { readonly records: Records; readonly runId: string; readonly workspace: string; readonly directory: string; readonly isForBranch: boolean };

function reviewOf(review: ClosedReview, place: Place): RunReview {
  const { audit, store } = place.records;
  const by = ownAccount();
  /** Before anything is written: a landing that is killed is in the log, and without a log nothing lands. */
  const begin = async (named: readonly string[]) => {
    const context = readContext(policyFileOf(place), place.workspace);
    const landing = await review.flagged(named);
    const flagged = landing
      .filter((change) => change.flags.length > 0)
      .map((change) => ({ change: nameOf(change), kinds: change.flags.map((flag) => flag.kind) }));
    appendAudit(audit, { run: place.runId, payload: { kind: "changes-landing", count: landing.length, flagged, by } });
    if (landing.length > 0) countLanding(place, context);
    const flags = new Map(landing.map((change) => [nameOf(change), change.flags]));
    const withFlags = (change: Change): FlaggedChange => ({ ...change, flags: flags.get(nameOf(change)) ?? [] });
    const end = (report: ApplyReport, branch: { branch: string; commit: string } | null = null): LandingReport => {
      const refused = report.refused.map(({ change, reason }) => ({ change: nameOf(change), reason }));
      appendAudit(audit, { run: place.runId, payload: { kind: "changes-applied", applied: report.applied.map(nameOf), refused, ...branch, by } });
      const left = report.refused.map(({ change, reason }) => ({ change: withFlags(change), reason }));
      return { applied: report.applied.map(withFlags), refused: left, unkept: [] };
    };
    return { mayWrite: judgeWrites(context, review.record.repository?.path), policy: `${context.policy.name} ${context.policy.digest}`, end };
  };
  const makeBranch = async (name: string): Promise<BranchReport> => {
    const landing = await begin([]);
    const trailers = [`Warder-Run: ${place.runId}`, `Warder-Policy: ${landing.policy}`];
    const { branch, commit, committed, refused, submodules } = await review.branch({ mayWrite: landing.mayWrite, branch: name, trailers });
    return { ...landing.end({ applied: committed, refused }, { branch, commit }), branch, commit, submodules };
  };
  const within = (paths: readonly string[]): readonly string[] => paths.map((path) => relativePath(path, review.record.workspace));
  return {
    isGoing: false,
    isForBranch: place.isForBranch,
    count: () => review.list().length,
    undoAdvice: () => undoAdvice(place),
    list: (paths) => review.flagged(within(paths)),
    toAskAbout: async (paths) => unnamedFlagged(await review.flagged(within(paths)), within(paths)),
    diff: (maxBytes, paths) => review.diff(maxBytes, within(paths)),
    apply: async (paths) => {
      const named = within(paths);
      const landing = await begin(named);
      const report = await review.apply({ mayWrite: landing.mayWrite, paths: named });
      const applied = report.applied.map(({ path }) => path);
      return { ...landing.end(report), unkept: unkeptOf(place.directory, applied) };
    },
    branch: (name) => makeBranch(name ?? `warder/${place.runId}`),
    rebase: async () => {
      const report = await review.rebase();
      if (report.kind === "rebased") {
        const { branch, onto, commits } = report;
        appendAudit(audit, { run: place.runId, payload: { kind: "changes-rebased", branch, onto, commits, by } });
      }
      return report;
    },
    request: (remote) => {
      const context = readContext(policyFileOf(place), place.workspace);
      const { records, runId, directory } = place;
      return prepareRequest({ records, runId, runDirectory: directory, record: review.record, context, remote, makeBranch });
    },
    discard: async (paths) => {
      const named = within(paths);
      // Before anything is gone: without a log nothing is thrown away, and one that is killed in the middle is in it.
      appendAudit(audit, { run: place.runId, payload: { kind: "changes-discarding", paths: named.map((path) => path.toWellFormed()), by } });
      const discarded = await review.discard(named);
      appendAudit(audit, { run: place.runId, payload: { kind: "changes-discarded", count: discarded?.length ?? null, by } });
      return discarded;
    },
    close: async () => {
      try {
        await review.close();
      } finally {
        store.close();
      }
    },
  };
}

/** Landing changes counts against the policy's limits as one action. The limits of the run itself ended with the run. */
function countLanding({ records, runId, workspace }: Place, { policy }: WorkspaceContext): void {
  const { store, audit } = records;
  const job = store.runs.byId(runId)?.job ?? null;
  const budget = budgetOf(policy, { workspace, runId: null, job }, { store, clock: systemClock });
  charge(budget, { actions: 1 });
  recordMove(audit, { windows: budget.windows, runId }, null, { actions: 1 });
}

export function nameOf(change: Change): string {
  return `${change.kind} ${change.path}`.toWellFormed();
}

export function relativePath(path: string, workspace: string): string {
  if (path === workspace) return ".";
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

/** What must not land unseen: this process's own secrets, and the policy's credentials where they can still be read. */
function knownSecrets(place: Place): ReadonlyMap<string, string> {
  const own = secretsIn(process.env, MIN_SECRET_CHARACTERS);
  try {
    const { policy } = readContext(policyFileOf(place), place.workspace);
    return new Map([...own, ...readSecrets(policy.sandbox.network.credentials ?? [], process.env)]);
  } catch (error) {
    // Looking at changes and throwing them away needs neither the policy nor its credentials; landing loads the policy again and says what is wrong.
    if (error instanceof AgentError) return own;
    throw error;
  }
}

/** The policy file that the run was started with, as the log has it. */
function policyFileOf({ records, runId }: Place): string {
  const [loaded] = tailAudit(records.audit, { run: runId, kind: "policy-loaded", limit: 1 });
  const files = loaded?.payload["files"];
  const file: unknown = Array.isArray(files) ? files[0] : undefined;
  if (typeof file !== "string")
    throw new AgentError("audit-unavailable", `The log does not say which policy ${runId} ran under, so nothing can be landed. See: warder audit verify`);
  return file;
}
