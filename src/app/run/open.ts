import type { ApprovalChannel } from "../../approvals/channel.ts";
import { type LendTerminal, terminalChannel } from "../../approvals/terminal/channel.ts";
import type { WebhookChannel } from "../../approvals/webhook/channel.ts";
import { appendAudit, appendAuditWith, type AuditLog } from "../../audit/log/log.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { redactSecrets } from "../../audit/entries/redact.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type Before, createGate, NOTHING_BEFORE, type Gate } from "../../gate/create-gate.ts";
import type { Hook } from "../../gate/hooks/hook.ts";
import { isStopped } from "../../gate/stop-switch.ts";
import { DEFAULT_APPROVAL_TIMEOUT_MS, PARKED_APPROVAL_TIMEOUT_MS, type Asking } from "../../gate/gate-parts.ts";
import type { Label } from "../../policy/label.ts";
import type { Policy } from "../../policy/policy.ts";
import { createRedaction, secretsIn } from "../../sandbox/redaction.ts";
import type { Session } from "../../sandbox/runtime.ts";
import type { Settings } from "../../config/settings.ts";
import { keepWords } from "../../schedule/job-news.ts";
import { ownerOfThisProcess } from "../../store/lock/process-owner.ts";
import { planDoneTool } from "../../tools/run/plan-done.ts";
import { SKILL, skillTool } from "../../tools/run/skill.ts";
import { RARE, type ToolSearch, toolSearch } from "../../tools/run/tool-search.ts";
import { askingOf, planningOf } from "../children/planning.ts";
import { type GapOf, gapsOf } from "./gaps.ts";
import { isNamedBy, policyGate, type ToolGate } from "../../tools/availability.ts";
import { BUILT_IN_TOOLS, createRegistry, type AnyTool, type ToolRegistry } from "../../tools/registry.ts";
import type { ApartPlace } from "../children/apart.ts";
import { hooksOf, type OwnHooks, requireSoundHooks } from "../hooks/commands.ts";
import { egressOptions } from "./egress.ts";
import { checkChoice, type ChosenRuntime } from "../setup/runtimes.ts";
import { documentsOfRun } from "../openapi/documents.ts";
import { labelsOfTask } from "../mcp/prompt-task.ts";
import { serversOfRun, type ServersOfRun } from "../mcp/servers.ts";
import { skillsOfRun, type SkillsOfRun } from "../skills/of-run.ts";
import { besideOf, openedRecord, openSession } from "./session.ts";
import type { SandboxOpening } from "./opening.ts";
import { checkpointAtStart, upkeepAtEnd } from "../records/log-upkeep.ts";
import { withdrawQuestions } from "../approvals/withdraw.ts";
import { deliverQuestions } from "../approvals/deliver-questions.ts";
import { openRecords, type Records } from "../records/records.ts";
import { pruneSteps } from "./journal.ts";
import { labelsOfJob, runSchedule } from "../jobs/run-schedule.ts";
import { startRun } from "./start.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { usersOwn, webhookChannels } from "../approvals/webhooks.ts";

export type RunDescription = OwnHooks & {
  readonly task: string | null;
  readonly model: string | null;
  readonly isScripted: boolean;
  /** Whether a person may be asked at this process's terminal. Otherwise an ask is parked or denied, as the policy says. */
  readonly canAsk: boolean;
  /** It plans: read-only until a person approved its plan. Of a run that goes on: whether it still is. Absent: it does not plan. */
  readonly plan?: "open" | "approved";
  /** The job that it is a run of; absent for one that a person started. */
  readonly job?: string | null;
  /** The identifier of a new run, where somebody has to know it before it starts; absent: one is made. */
  readonly runId?: string;
  /** Its questions are stored, and whoever made a call makes it again after the answer. */ readonly answers?: "later";
  /** How an embedding program reaches a person, in place of this process's terminal. */
  readonly channels?: readonly ApprovalChannel[];
  /** Where something else draws on this process's terminal: lends it to questions. */
  readonly lendTerminal?: LendTerminal;
  /** Tools of an embedding program, beside Warder's. */
  readonly tools?: readonly AnyTool[];
  /** Its gates, which take tools away from turn to turn. */
  readonly gates?: readonly ToolGate[];
  /** By which the run gives its result in a wanted shape. */ readonly output?: AnyTool;
  /** Where a program says that its sandbox is. */ readonly runtime?: ChosenRuntime;
  /** Keys of models that no variable holds, by what stands in their place wherever they would appear. */
  readonly secrets?: ReadonlyMap<string, string>;
  /** Told once its sandbox is open and was looked at from inside. */
  readonly onOpen?: (opening: SandboxOpening) => void;
  /** A run that was suspended or stopped, and is this process's now (`takeOver`); absent: a new one. */
  readonly resumed?: ResumedRun;
};

/** `ofFamily`: labels of what its sub-agents were given. */
export type ResumedRun = Before & { readonly id: string; readonly ofFamily: readonly Label[] };

/** One run with everything it is made of: sandbox open, gate ready, start recorded. */
export type SandboxedRun = {
  readonly id: string;
  readonly policy: Policy;
  readonly tools: ToolRegistry;
  readonly search: ToolSearch;
  /** The policy's, then those of the embedding program. */
  readonly hooks: readonly Hook[];
  readonly gate: Gate;
  /** Why a tool is not offered now, beside what policies say. */
  readonly gapOf: GapOf;
  readonly session: Session;
  readonly openBeside: ApartPlace["openBeside"];
  readonly records: Records;
  /** Closes the sandbox and records how the run ended. Idempotent; the first ending counts. */
  end(ending: string, detail?: string): Promise<void>;
  /** Closes the sandbox, keeps its changes, and leaves the run to whoever resumes it when the question is answered. */
  park(approvalId: string): Promise<void>;
};

/** Endings after which nothing is left to go on with. */
const FINAL_ENDINGS = new Set(["done", "denied", "limit"]);

/**
 * Opens a run: loads nothing, decides nothing. Removes what dead owners left, records policy and start, opens the
 * sandbox. Throws `sandbox-unavailable`, `audit-unavailable` or `store-unavailable`; then nothing is left open.
 */
export async function openRun(context: WorkspaceContext, description: RunDescription): Promise<SandboxedRun> {
  // What cannot be used is told before anything is open.
  requireSoundHooks(context.policy, description.hooks);
  checkChoice(description.runtime, context.policy);
  const records = openRecords();
  const { store } = records;
  const id = description.resumed?.id ?? description.runId ?? newId("run");
  let session: Session | null = null;
  let servers: ServersOfRun | null = null;
  let told: readonly WebhookChannel[] = [];
  let leftBehind: Promise<unknown> = Promise.resolve();
  let isOpen = false;
  // What this process knows of secrets never stands in a record; once the sandbox is open, the policy's credentials neither.
  const { settings, users } = usersOwn(context.policy, records);
  const hidden = new Map([...secretsIn(passedOn(context.policy)), ...secretsIn(process.env, 8), ...users.secrets, ...(description.secrets ?? [])]);
  let redact = createRedaction(hidden).text;
  const audit: AuditLog = { ...records.audit, redact: (text) => redact(text) };
  const record = (payload: AuditPayload): void => void appendAudit(audit, { run: id, payload });
  const closeSession = async (): Promise<void> => {
    if (session === null) return;
    try {
      await servers?.close();
      await session.close();
      record({ kind: "sandbox-closed", session: session.id });
    } catch (error) {
      // It is over, whatever it was to end as: without an end it would count as going on for as long as this process lives.
      conclude("failed", error instanceof Error ? error.message : "unknown fault");
      throw error;
    }
  };
  const close = async (settle: () => void): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    try {
      await closeSession();
      // What is on its way to a person is recorded, too; that takes a minute at most, and nothing waits for it but this.
      await Promise.all([...told.map((webhook) => webhook.settled()), leftBehind]);
      settle();
    } finally {
      store.close();
    }
  };
  const conclude = (ending: string, detail?: string): void => {
    const isFinal = FINAL_ENDINGS.has(ending);
    if (isFinal) withdrawQuestions({ ...records, audit }, id);
    // Record and row are one: a run that the log has as over is never taken up again.
    appendAuditWith(audit, () => {
      store.runs.end(id, ending, systemClock.nowMs());
      // One command alone is never gone on with.
      if (isFinal || description.task === null) store.grants.endRun(id, systemClock.nowMs());
      return { run: id, payload: { kind: "run-end", ending, ...(detail === undefined ? {} : { detail: redactSecrets(detail.toWellFormed()) }) } };
    });
    upkeepAtEnd(audit, id, settings);
  };
  const end = (ending: string, detail?: string): Promise<void> => close(() => conclude(ending, detail));
  const park = (approvalId: string): Promise<void> =>
    close(() => {
      record({ kind: "run-parked", approval: approvalId });
      if (!store.runs.park(id, { owner: ownerOfThisProcess(), approval: approvalId, nowMs: systemClock.nowMs() }))
        throw new AgentError("broken-invariant", `The run ${id} was not this process's to park.`);
      upkeepAtEnd(audit, id, settings);
    });
  try {
    pruneSteps(store, systemClock);
    if (description.resumed === undefined) startRun(id, context, description, { records: { ...records, audit } });
    isOpen = true;
    // What processes that died were to tell somebody. That it is told is not this run's end, and not told it is tried by the next.
    leftBehind = deliverQuestions({ ...records, audit }, { signal: new AbortController().signal, say: () => undefined }).catch(() => undefined);
    checkpointAtStart(audit, id, settings);
    const asking = askingOf(description, context.policy);
    const common = { runtime: description.runtime, hidden, mayGoOn: () => !isStopped(store, { run: id, tool: "start_job" }) };
    const opened = await openSession(context, records, {
      ...common,
      runId: id,
      ...(description.task !== null && asking !== "wait" ? { commitTrailer: `Warder-Run: ${id}` } : {}),
      ...egressOptions(context, { ...records, audit }, { runId: id, job: description.job ?? null }),
      onJobEnd: (ended) => record({ kind: "background-job-ended", ...ended }),
      onBrowserOpen: (image) => record({ kind: "browser-opened", image }),
    });
    session = opened.session;
    ({ redact } = session);
    store.runs.setSession(id, session.id);
    record(openedRecord(session));
    const hooks = await hooksOf(context, { audit, session }, description);
    const { output, plan } = description;
    const own = description.tools ?? [];
    const taken = new Set(own.map(({ name }) => name));
    const placed = { records: { ...records, audit }, runId: id, runtime: description.runtime };
    servers = serversOfRun(settings.mcp, context, { ...placed, taken, canAsk: asking === "wait" });
    const documents = documentsOfRun(settings.openapi, { context, directory: store.paths.directory, taken });
    const skills = skillsOfRun(store.paths.directory, settings, context);
    description.onOpen?.({ policy: context.policy, session, notes: [...opened.notes, ...servers.notes, ...documents.notes, ...skills.notes] });
    const found = [...own, ...servers.tools, ...documents.tools];
    const byPolicy = policyGate(context.policy);
    // What a policy names by more than `*` somebody wants there.
    const rare = BUILT_IN_TOOLS.filter(({ name }) => RARE.has(name) && !isNamedBy(context.policy, name));
    const search = toolSearch({ others: found, rare }, (tool) => byPolicy.refuses(tool) ?? gapOf(tool)?.reason ?? null);
    const ofRun: readonly AnyTool[] = [...(output === undefined ? [] : [output]), ...(plan === undefined ? [] : [planDoneTool]), search.tool];
    const builtIn = BUILT_IN_TOOLS.map((tool): AnyTool => (tool.name === SKILL ? skillTool(skills.offered) : tool));
    const tools = createRegistry([...builtIn, ...ofRun], own, servers.tools, documents.tools);
    told = webhookChannels(users, { isParked: asking === "park", approvals: records.approvals, audit, redact: session.redact });
    const gapOf = await gapsOf(tools, {
      policy: context.policy,
      session,
      settings,
      hasPerson: asking !== "deny",
      hasSkills: skills.offered.length > 0,
      gates: description.gates,
    });
    const gate = gateOf(id, context, description, { records: { ...records, audit }, session, settings, skills, servers, tools, gapOf, hooks, asking, told });
    const openBeside = besideOf(context, { ...records, audit }, { common, description });
    return { id, policy: context.policy, tools, search, hooks, gate, gapOf, session, openBeside, records: { ...records, audit }, end, park };
  } catch (error) {
    if (isOpen) await end("failed", error instanceof Error ? error.message : "unknown fault");
    else store.close();
    throw error;
  }
}

/** The variables that a policy passes to commands. */
const passedOn = ({ sandbox }: Policy): NodeJS.ProcessEnv => Object.fromEntries(sandbox.env.map((name) => [name, process.env[name]]));

function gateOf(
  runId: string,
  context: WorkspaceContext,
  description: RunDescription,
  made: {
    readonly records: Records;
    readonly session: Session;
    readonly settings: Settings;
    readonly skills: SkillsOfRun;
    readonly servers: ServersOfRun;
    readonly tools: ToolRegistry;
    readonly gapOf: GapOf;
    readonly hooks: readonly Hook[];
    readonly asking: Asking;
    readonly told: readonly WebhookChannel[];
  },
): Gate {
  const { policy, workspace, home, ownPaths } = context;
  const { store, audit } = made.records;
  const { asking } = made;
  const own = description.channels ?? (description.canAsk ? [terminalChannel(made.records.approvals, description.lendTerminal)] : []);
  const parts = {
    runId,
    job: description.job ?? null,
    policy,
    tools: made.tools,
    gapOf: made.gapOf,
    setting: { workspace, home, search: made.settings.search },
    session: made.session,
    store,
    audit,
    clock: systemClock,
    channels: [...own, ...made.told],
    asking,
    schedule: runSchedule({ ...made.records, audit }, { runId, policy, workspace }),
    readSkill: made.skills.read,
    ofServers: new Set(made.servers.tools.map(({ name }) => name)),
    keepMessage: (text: string) => keepWords({ store, clock: systemClock }, description.job ?? null, { run: runId, text }),
    approvalTimeoutMs: asking === "park" ? PARKED_APPROVAL_TIMEOUT_MS : DEFAULT_APPROVAL_TIMEOUT_MS,
    ownPaths,
    hooks: made.hooks,
    ...(description.plan === undefined ? {} : { planning: planningOf(store, runId, description.plan) }),
  };
  const before = description.resumed ?? NOTHING_BEFORE;
  // A task that a tainted run wrote is read by this one, whoever confirmed it.
  const job = parts.job === null ? null : store.schedule.job(parts.job);
  return createGate(
    parts,
    { ...before, labels: [...labelsOfTask(description.task, runId), ...(job === null ? [] : labelsOfJob(job)), ...before.labels] },
    description.resumed?.ofFamily,
  );
}
