import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { appendAudit } from "../../audit/log/log.ts";
import { tailAudit } from "../../audit/log/read.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { homeDirectory } from "../../config/state/directory.ts";
import { argumentsOf, type Dialect, type HookAnswer, type HookEvent, type Said } from "../../foreign/dialect.ts";
import { refuseForeignCall, ruleForeignCall } from "../../gate/foreign/rule-foreign-call.ts";
import { openRecords, type Records } from "../records/records.ts";
import { readContext } from "../setup/context.ts";

export type HookSetting = {
  /** The agent's name as `warder hook` has it. */
  readonly agent: string;
  readonly dialect: Dialect;
  /** A policy by name or file. */
  readonly policy: string;
  /** Null: the repository that the agent was in when its session began, or that directory. */
  readonly workspace: string | null;
  /** Recorded only: the agent decides by itself. */
  readonly isShadow: boolean;
};

type Call = Extract<HookEvent, { kind: "call" }>;

/** A question to a person outlives the agent's turn: it is answered and then asked for again. */
const APPROVAL_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/**
 * Answers one event of another agent's hook, given as its text. Whatever cannot be read, judged or recorded is denied with the reason; in the shadow
 * nothing is ever denied.
 */
export async function answerEvent(text: string, setting: HookSetting): Promise<Said> {
  const { dialect, isShadow } = setting;
  const event = eventOf(text);
  if (event === null) return isShadow ? dialect.silence : dialect.answer(denial("the event is no JSON object"), {});
  try {
    const read = dialect.read(event, homeDirectory());
    if (read.kind === "nothing") return dialect.silence;
    const answer = read.kind === "unreadable" ? denial(read.problem) : await judged(read, setting);
    return isShadow ? dialect.silence : dialect.answer(answer, event);
  } catch (error) {
    if (isShadow) return { ...dialect.silence, stderr: `warder: ${faultOf(error)}\n` };
    return dialect.answer(denial(faultOf(error)), event);
  }
}

function eventOf(text: string): ReturnType<typeof argumentsOf> {
  try {
    return argumentsOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function denial(problem: string): HookAnswer {
  return { verdict: "deny", reason: `Denied by Warder: it could not be judged: ${problem}` };
}

function faultOf(error: unknown): string {
  if (error instanceof AgentError) return error.remedy === null ? error.problem : `${error.problem} ${error.remedy}`;
  return error instanceof Error ? error.message : "unknown fault";
}

async function judged(call: Call, setting: HookSetting): Promise<HookAnswer> {
  const records = openRecords();
  try {
    return await judgedIn(records, call, setting);
  } finally {
    records.store.close();
  }
}

async function judgedIn(records: Records, call: Call, setting: HookSetting): Promise<HookAnswer> {
  const runId = runOf(setting.agent, call.session);
  const known = sessionOf(records, runId);
  // What the session began in, whatever directory the agent is in now.
  const context = readContext(setting.policy, setting.workspace ?? known?.workspace ?? projectOf(call.cwd));
  const session = { workspace: context.workspace, policy: context.policy.digest };
  if (known?.workspace !== session.workspace || known.policy !== session.policy)
    appendAudit(records.audit, { run: runId, payload: { kind: "hook-session", agent: setting.agent, session: call.session, ...session } });
  const callId = call.callId ?? newId("call");
  const { meaning, input } = call;
  if ("problem" in meaning) {
    refuseForeignCall({ audit: records.audit, runId }, { callId, tool: call.name, input }, meaning.problem);
    return denial(`${call.name}: ${meaning.problem}`);
  }
  const parts = {
    policy: context.policy,
    setting: { workspace: context.workspace, home: context.home },
    ownPaths: context.ownPaths,
    store: records.store,
    audit: records.audit,
    clock: systemClock,
    runId,
    approvalTimeoutMs: APPROVAL_TIMEOUT_MS,
    isShadow: setting.isShadow,
  };
  const end = await ruleForeignCall(parts, { callId, input, cwd: call.cwd, canAsk: call.canAsk, ...meaning });
  return { verdict: end.verdict, reason: end.text };
}

/** The session's name in the log. An agent's own name may be anything. */
export function runOf(agent: string, session: string): string {
  const isPlain = /^[A-Za-z0-9_-]{1,64}$/u.test(session);
  return `${agent}:${isPlain ? session : createHash("sha256").update(session).digest("hex").slice(0, 32)}`;
}

/** The newest record of the session: what it works in, and what it is ruled by. */
function sessionOf({ audit }: Records, runId: string): { readonly workspace: string; readonly policy: string } | null {
  const [record] = tailAudit(audit, { run: runId, kind: "hook-session", limit: 1 });
  const { workspace, policy } = record?.payload ?? {};
  return typeof workspace === "string" && typeof policy === "string" ? { workspace, policy } : null;
}

function projectOf(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return directory;
  }
}
