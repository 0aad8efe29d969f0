import type { Statements } from "../lock/statements.ts";

/** `void`: what it was bound to is no longer so, before it was used. */
export type ApprovalState = "pending" | "granted" | "refused" | "expired" | "claimed" | "consumed" | "void";

/** `pattern`: a grant was made of it, and this one call runs. */
export type ApprovalScope = "once" | "this-run" | "pattern";

export type ApprovalRow = {
  readonly id: string;
  readonly run: string;
  readonly call: string;
  readonly workspace: string | null;
  readonly tool: string | null;
  readonly rulingDigest: string;
  /** Of tool, final arguments and directory only: the same question with other inputs. */
  readonly callDigest: string;
  readonly policyDigest: string;
  readonly risk: "low" | "medium" | "high";
  /** JSON of the card that the person saw. */
  readonly card: string;
  readonly state: ApprovalState;
  readonly scope: ApprovalScope | null;
  /** How many persons must say yes. */
  readonly needed: number;
  /** JSON list of who did so far. */
  readonly approvers: string;
  readonly answeredBy: string | null;
  readonly message: string | null;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly answeredAtMs: number | null;
};

export type ApprovalAnswerRow = {
  readonly id: string;
  readonly state: "granted" | "refused";
  readonly scope: ApprovalScope;
  readonly by: string;
  readonly message: string | null;
  readonly nowMs: number;
};

/** Approvals and their states. Every change of state is a compare-and-swap: true means that this caller won it. */
export type ApprovalRows = {
  add(row: ApprovalRow): void;
  byId(id: string): ApprovalRow | null;
  list(filter: { readonly state?: ApprovalState; readonly run?: string; readonly limit: number }): readonly ApprovalRow[];
  /** Notes who said yes so far, while it is pending and not expired. */
  approve(id: string, approvers: string, nowMs: number): boolean;
  /** pending → granted or refused, unless it expired. */
  answer(answer: ApprovalAnswerRow): boolean;
  /** Moves one approval on when it is in state `from`. */
  advance(id: string, from: ApprovalState, to: ApprovalState): boolean;
  /** granted → claimed, when it is bound to exactly this and has not expired. */
  claim(id: string, bound: { readonly run: string; readonly rulingDigest: string; readonly policyDigest: string; readonly nowMs: number }): boolean;
  /** Pending or granted ones whose time is over become expired; returns how many. */
  expire(nowMs: number): number;
  /** Pending ones of single commands, which nothing can go on with, and who drives each; null: it is over. */
  pendingOfCommands(): readonly { readonly id: string; readonly owner: string | null }[];
  /** claimed → granted, for a run whose process died before the call began; the caller owns the run now. */
  reopen(run: string): number;
  /** Voids what was allowed of a call that is taken back. What a granted call did once stays as it is, and so does a refusal. */
  takeBack(run: string, call: string): void;
  /** The newest question of this run that waits for the same ruling, or was answered for this call and not used. */
  openFor(run: string, call: string, rulingDigest: string): ApprovalRow | null;
  /** The newest one that a person granted for a tool in a workspace, whatever became of it. */
  lastGranted(workspace: string, tool: string): readonly ApprovalRow[];
  /** Answers of this run to the same ruling, or to the same call. */
  answered(run: string, rulingDigest: string, callDigest: string): readonly ApprovalRow[];
};

const COLUMNS = `id, run, call, workspace, tool, ruling_digest AS rulingDigest, call_digest AS callDigest, policy_digest AS policyDigest, risk, card, state, scope, needed, approvers,
  answered_by AS answeredBy, message, asked_at AS askedAtMs, expires_at AS expiresAtMs, answered_at AS answeredAtMs`;

export function approvalRows(statements: Statements): ApprovalRows {
  const add =
    statements.prepare(`INSERT INTO approvals (id, run, call, workspace, tool, ruling_digest, call_digest, policy_digest, risk, card, state, scope, needed, approvers, answered_by, message, asked_at, expires_at, answered_at)
    VALUES (@id, @run, @call, @workspace, @tool, @rulingDigest, @callDigest, @policyDigest, @risk, @card, @state, @scope, @needed, @approvers, @answeredBy, @message, @askedAtMs, @expiresAtMs, @answeredAtMs)`);
  const byId = statements.prepare<[string], ApprovalRow>(`SELECT ${COLUMNS} FROM approvals WHERE id = ?`);
  const approve = statements.prepare<[string, string, number]>("UPDATE approvals SET approvers = ? WHERE id = ? AND state = 'pending' AND expires_at > ?");
  const answer = statements.prepare(`UPDATE approvals SET state = @state, scope = @scope, answered_by = @by, message = @message, answered_at = @nowMs
    WHERE id = @id AND state = 'pending' AND expires_at > @nowMs`);
  const advance = statements.prepare<[string, string, string]>("UPDATE approvals SET state = ? WHERE id = ? AND state = ?");
  const claim = statements.prepare(`UPDATE approvals SET state = 'claimed' WHERE id = @id AND state = 'granted' AND run = @run
    AND ruling_digest = @rulingDigest AND policy_digest = @policyDigest AND expires_at > @nowMs`);
  const ofCommands = statements.prepare<[], { readonly id: string; readonly owner: string | null }>(
    `SELECT approvals.id, CASE WHEN runs.ended_at IS NULL THEN runs.owner END AS owner FROM approvals JOIN runs ON runs.id = approvals.run
    WHERE approvals.state = 'pending' AND runs.task IS NULL`,
  );
  const expire = statements.prepare<[number]>("UPDATE approvals SET state = 'expired' WHERE state IN ('pending', 'granted') AND expires_at <= ?");
  const reopen = statements.prepare<[string]>("UPDATE approvals SET state = 'granted' WHERE run = ? AND state = 'claimed'");
  const takeBack = statements.prepare<[string, string]>(
    "UPDATE approvals SET state = 'void' WHERE run = ? AND call = ? AND (state IN ('pending', 'granted', 'claimed') OR (state = 'consumed' AND scope = 'this-run'))",
  );
  const openFor = statements.prepare<[string, string, string], ApprovalRow>(`SELECT ${COLUMNS} FROM approvals
    WHERE run = ? AND ((call = ? AND state IN ('pending', 'granted', 'expired')) OR (ruling_digest = ? AND state = 'pending')) ORDER BY asked_at DESC, rowid DESC LIMIT 1`);
  const lastGranted = statements.prepare<[string, string], ApprovalRow>(`SELECT ${COLUMNS} FROM approvals
    WHERE workspace = ? AND tool = ? AND state IN ('granted', 'claimed', 'consumed') ORDER BY answered_at DESC, rowid DESC LIMIT 20`);
  const answered = statements.prepare<[string, string, string], ApprovalRow>(`SELECT ${COLUMNS} FROM approvals
    WHERE run = ? AND answered_at IS NOT NULL AND (ruling_digest = ? OR call_digest = ?) ORDER BY answered_at DESC, rowid DESC`);
  return {
    add: (row) => void add.run(row),
    byId: (id) => byId.get(id) ?? null,
    list: (filter) => list(statements, filter),
    approve: (id, approvers, nowMs) => approve.run(approvers, id, nowMs).changes === 1,
    answer: (row) => answer.run(row).changes === 1,
    advance: (id, from, to) => advance.run(to, id, from).changes === 1,
    claim: (id, bound) => claim.run({ id, ...bound }).changes === 1,
    pendingOfCommands: () => ofCommands.all(),
    expire: (nowMs) => expire.run(nowMs).changes,
    reopen: (run) => reopen.run(run).changes,
    takeBack: (run, call) => void takeBack.run(run, call),
    openFor: (run, call, rulingDigest) => openFor.get(run, call, rulingDigest) ?? null,
    lastGranted: (workspace, tool) => lastGranted.all(workspace, tool),
    answered: (run, rulingDigest, callDigest) => answered.all(run, rulingDigest, callDigest),
  };
}

function list(statements: Statements, filter: { readonly state?: ApprovalState; readonly run?: string; readonly limit: number }): readonly ApprovalRow[] {
  const conditions = ["1 = 1"];
  const values: (string | number)[] = [];
  if (filter.state !== undefined) {
    conditions.push("state = ?");
    values.push(filter.state);
  }
  if (filter.run !== undefined) {
    conditions.push("run = ?");
    values.push(filter.run);
  }
  const select = statements.prepare<(string | number)[], ApprovalRow>(
    `SELECT ${COLUMNS} FROM approvals WHERE ${conditions.join(" AND ")} ORDER BY asked_at DESC, rowid DESC LIMIT ?`,
  );
  return select.all(...values, filter.limit).toReversed();
}
