// A scheduler without a clock of its own: takes the moments of two jobs below ROOT, and their runs through tick, start, ask, park, approve, take
// over, claim and outcome; what a dead process left is taken up first. Each run's one call appends the run's id to `ran` in the workspace.
// Each end of a moment is told in the file `told` beside the workspace. Writes a dot for each transaction. Arguments: ROOT COUNT [FAULT AT]: COUNT runs end here, or with 0 only what is open; after AT transactions of the store the FAULT comes:
// `kill` this process, or any other, which is the shell command in $DISK_FAULT.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { deliverAll } from "../../../src/app/schedule/deliver-news.ts";
import { answerOfBegun } from "../../../src/app/run/interrupted-call.ts";
import { answerApproval, reopenClaimed, showApproval } from "../../../src/approvals/approval.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { loadPolicy } from "../../../src/config/policy/load.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { JobEnd } from "../../../src/schedule/runner.ts";
import { isOwnerDead, ownerOfThisProcess } from "../../../src/store/lock/process-owner.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { hostSession } from "../host-session.ts";
import { runDueOf } from "../run-due.ts";
import { addCycleJobs, CYCLE_JOBS, CYCLE_START_MS, MINUTE_MS } from "../park-cycles.ts";

const [root = "", count = "1", fault = "none", at = "0"] = process.argv.slice(2);
/** So often is what is open looked at before it counts as lost. */
const MAX_ROUNDS = 20;
const [workspace, home] = [join(root, "workspace"), join(root, "home")];
const store = faulty(openStore(join(root, "state")));
const clock = systemClock;
const approvals = { store, clock };
const audit = { store, clock };
const { policy } = loadPolicy(join(root, "policy.yaml"), { workspace, home, stateDirectory: store.paths.directory });
const owner = ownerOfThisProcess();
/** So that a test which kills before each transaction has few of them. */
const jobs = count === "1" ? CYCLE_JOBS.slice(0, 1) : CYCLE_JOBS;
let ended = 0;
let dueMs = CYCLE_START_MS;

/** The store, with a fault before the transaction whose number is `at`. */
function faulty(whole: Store): Store {
  let transactions = 0;
  return {
    ...whole,
    exclusively: (work) => {
      transactions += 1;
      process.stdout.write(".");
      if (transactions === Number(at)) {
        if (fault === "kill") process.kill(process.pid, "SIGKILL");
        else if (fault !== "none") execFileSync("sh", ["-c", process.env["DISK_FAULT"] ?? "exit 1"]);
      }
      return whole.exclusively(work);
    },
  };
}

function start(run: string): void {
  store.exclusively(() => {
    const { name: policyName, digest: policyDigest } = policy;
    store.runs.start({
      id: run,
      workspace,
      policyName,
      policyDigest,
      policyFile: null,
      task: "cycle",
      model: null,
      isUnattended: true,
      owner,
      startedAtMs: clock.nowMs(),
    });
  });
}

/** As `warder run --resume` does: the run is this process's, or nobody's second time. */
function takeOver(run: string): boolean {
  const isTaken = store.exclusively(() => {
    const row = store.runs.byId(run);
    if (row === null || row.endedAtMs !== null) return false;
    return store.runs.takeOver(run, { from: row.owner, isDead: isOwnerDead(row.owner), to: owner, policyDigest: policy.digest });
  });
  if (isTaken) reopenClaimed(approvals, run);
  return isTaken;
}

async function drive(run: string): Promise<string> {
  const part = { kind: "tool-call", callId: `call-${run}`, name: "shell", input: { command: `echo ${run} >> ran` } } as const;
  // What had begun is answered from the log, and not done again.
  if (answerOfBegun(audit, run, part) !== null) return endRun(run, "begun-before");
  const gate = createGate({
    runId: run,
    policy,
    tools: createRegistry(),
    setting: { workspace, home },
    session: hostSession(policy, workspace, home),
    store,
    audit,
    clock,
    channels: [],
    asking: "park",
    approvalTimeoutMs: 600_000,
    ownPaths: [store.paths.directory],
  });
  const end = await gate.runToolCall({ id: part.callId, name: part.name, input: part.input }, { signal: new AbortController().signal, emit: () => null });
  if (end.kind !== "parked") return endRun(run, end.kind);
  store.exclusively(() => store.runs.park(run, { owner, approval: end.approvalId ?? "", nowMs: clock.nowMs() }));
  return "parked";
}

function endRun(run: string, ending: string): string {
  store.exclusively(() => store.runs.end(run, ending, clock.nowMs()));
  return ending;
}

/** The person: says yes to whatever waits. */
function answerWhatWaits(): void {
  for (const { run } of CYCLE_JOBS.flatMap((name) => store.schedule.openTicks(name))) {
    const approval = run === null ? null : (store.runs.byId(run)?.parkedOn ?? null);
    if (approval === null || showApproval(approvals, approval)?.state !== "pending") continue;
    answerApproval(approvals, approval, { kind: "granted", scope: "once", by: "cycle@test" });
  }
}

const minutes = { ...clock, nowMs: () => dueMs };
const { signal } = new AbortController();
const world = {
  run: async ({ kind, tick }: { readonly kind: string; readonly tick: { readonly run: string } }): Promise<JobEnd> => {
    if (kind === "start") start(tick.run);
    const outcome = kind === "start" || takeOver(tick.run) ? await drive(tick.run) : "taken by another";
    if (outcome !== "parked") ended += 1;
    return { outcome, detail: null, isRetryable: false, summary: null };
  },
  policyDigest: () => ({ digest: policy.digest }),
  sourceDigest: () => null,
  isStopped: () => false,
  tell: () => undefined,
  deliver: () => deliverAll({ store, audit, approvals: { store, clock: minutes } }, { signal, say: () => undefined }),
};
const scheduler = { store, audit, clock: minutes, world };

addCycleJobs(store, policy.digest, root);
const lastMs = (name: string): number => store.schedule.lastTick(name)?.atMs ?? CYCLE_START_MS;
const isOpen = (): boolean => jobs.some((name) => store.schedule.openTicks(name).length > 0);
let nowMs = Math.max(...jobs.map(lastMs));
for (let round = 0; count === "0" ? isOpen() && round < MAX_ROUNDS : ended < Number(count); round += 1) {
  nowMs += MINUTE_MS;
  for (const name of jobs) {
    // Nothing new is due at the last moment that was dealt with.
    dueMs = count === "0" ? lastMs(name) : nowMs;
    await runDueOf(scheduler, name, signal);
  }
  answerWhatWaits();
}
// What dead processes were to tell, whose count of minutes may have been ahead of this one's.
dueMs = Math.max(...CYCLE_JOBS.map(lastMs)) + 60 * MINUTE_MS;
await world.deliver();
