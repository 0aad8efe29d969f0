import { MEMORY_STEP } from "./memory-schema.ts";

/**
 * The schema, one step a version; a step that was released is never edited. `user_version` counts the
 * steps that were taken.
 *
 * `audit`: the record's text is the only stored value besides its hash; what is searched by is generated
 * from it, so nothing can be changed that the hash does not cover.
 */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    record TEXT NOT NULL,
    hash TEXT NOT NULL,
    run TEXT GENERATED ALWAYS AS (json_extract(record, '$.run')) VIRTUAL,
    kind TEXT GENERATED ALWAYS AS (json_extract(record, '$.kind')) VIRTUAL
  ) STRICT;
  CREATE INDEX audit_by_run ON audit (run, seq);
  CREATE INDEX audit_by_kind ON audit (kind, seq);

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    call TEXT NOT NULL,
    ruling_digest TEXT NOT NULL,
    call_digest TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    risk TEXT NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
    card TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'granted', 'refused', 'expired', 'claimed', 'consumed')),
    scope TEXT CHECK (scope IN ('once', 'this-run')),
    answered_by TEXT,
    message TEXT,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    answered_at INTEGER
  ) STRICT;
  CREATE INDEX approvals_by_run ON approvals (run, state);
  CREATE INDEX approvals_by_state ON approvals (state, asked_at);

  CREATE TABLE reservations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('action', 'ask')),
    state TEXT NOT NULL CHECK (state IN ('reserved', 'spent')),
    at INTEGER NOT NULL,
    run TEXT,
    owner TEXT NOT NULL
  ) STRICT;
  CREATE INDEX reservations_by_key ON reservations (key, kind, at);

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    policy_name TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    task TEXT,
    model TEXT,
    session TEXT,
    owner TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    ending TEXT
  ) STRICT;
  CREATE INDEX runs_by_start ON runs (started_at);

  CREATE TABLE stop_switch (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL CHECK (state IN ('running', 'stopped')),
    changed_by TEXT NOT NULL,
    changed_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO stop_switch VALUES (1, 'running', 'setup', 0);
  `,
  `
  CREATE TABLE spending (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    at INTEGER NOT NULL,
    run TEXT,
    micro_usd INTEGER NOT NULL CHECK (micro_usd > 0)
  ) STRICT;
  CREATE INDEX spending_by_key ON spending (key, at);
  `,
  // What the first audit record follows when earlier ones were archived.
  `
  CREATE TABLE audit_base (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL CHECK (seq > 0),
    hash TEXT NOT NULL,
    mac TEXT NOT NULL
  ) STRICT;
  `,
  // What a run needs to go on after its process ended; and approvals that can be void, and wait for more than one person.
  `
  ALTER TABLE runs ADD COLUMN policy_file TEXT;
  ALTER TABLE runs ADD COLUMN is_unattended INTEGER NOT NULL DEFAULT 0 CHECK (is_unattended IN (0, 1));
  ALTER TABLE runs ADD COLUMN parked_at INTEGER;
  ALTER TABLE runs ADD COLUMN parked_on TEXT;

  CREATE TABLE steps (
    run TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'result', 'note')),
    body TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT;
  CREATE INDEX steps_by_time ON steps (at);

  CREATE TABLE policies (
    digest TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    seen_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE approvals_3 (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    call TEXT NOT NULL,
    workspace TEXT,
    tool TEXT,
    ruling_digest TEXT NOT NULL,
    call_digest TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    risk TEXT NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
    card TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'granted', 'refused', 'expired', 'claimed', 'consumed', 'void')),
    scope TEXT CHECK (scope IN ('once', 'this-run', 'pattern')),
    needed INTEGER NOT NULL DEFAULT 1 CHECK (needed >= 1),
    approvers TEXT NOT NULL DEFAULT '[]',
    answered_by TEXT,
    message TEXT,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    answered_at INTEGER
  ) STRICT;
  INSERT INTO approvals_3 (id, run, call, ruling_digest, call_digest, policy_digest, risk, card, state, scope, answered_by, message, asked_at, expires_at, answered_at)
    SELECT id, run, call, ruling_digest, call_digest, policy_digest, risk, card, state, scope, answered_by, message, asked_at, expires_at, answered_at FROM approvals;
  DROP TABLE approvals;
  ALTER TABLE approvals_3 RENAME TO approvals;
  CREATE INDEX approvals_by_run ON approvals (run, state);
  CREATE INDEX approvals_by_state ON approvals (state, asked_at);
  CREATE INDEX approvals_by_tool ON approvals (workspace, tool, answered_at);

  CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    run TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('command', 'path')),
    pattern TEXT NOT NULL,
    effects TEXT NOT NULL,
    place TEXT NOT NULL,
    approval TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    expires_at INTEGER,
    uses INTEGER NOT NULL DEFAULT 0,
    used_at INTEGER,
    revoked_by TEXT,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX grants_by_key ON grants (key, revoked_at);

  CREATE TABLE code_uses (
    person TEXT PRIMARY KEY,
    counter INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    failed_at INTEGER
  ) STRICT;
  `,
  // Jobs that run by the clock, and what came of each of their moments.
  `
  CREATE TABLE jobs (
    name TEXT PRIMARY KEY,
    cron TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    workspace TEXT NOT NULL,
    policy TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    catch_up TEXT NOT NULL CHECK (catch_up IN ('skip', 'once', 'all')),
    jitter_ms INTEGER NOT NULL CHECK (jitter_ms >= 0),
    retries INTEGER NOT NULL CHECK (retries >= 0),
    deadline_ms INTEGER CHECK (deadline_ms > 0),
    notify TEXT,
    added_by TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    held_because TEXT
  ) STRICT;

  CREATE TABLE ticks (
    job TEXT NOT NULL,
    at INTEGER NOT NULL,
    attempt INTEGER NOT NULL CHECK (attempt >= 1),
    state TEXT NOT NULL CHECK (state IN ('claimed', 'retry', 'parked', 'ended', 'missed')),
    run TEXT,
    owner TEXT,
    started_at INTEGER,
    ended_at INTEGER,
    outcome TEXT,
    detail TEXT,
    next_at INTEGER,
    PRIMARY KEY (job, at)
  ) STRICT;
  CREATE INDEX ticks_by_state ON ticks (job, state);
  `,
  // Jobs that a reviewed file declares.
  `
  ALTER TABLE jobs ADD COLUMN source TEXT;
  ALTER TABLE jobs ADD COLUMN source_digest TEXT;
  `,
  // What an answer over HTTP is known by: the SHA-256 of a token that went out in one webhook, and nothing of the token itself.
  `
  CREATE TABLE answer_tokens (
    hash TEXT PRIMARY KEY,
    approval TEXT NOT NULL,
    ruling_digest TEXT NOT NULL,
    holder TEXT NOT NULL,
    channel TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
  ) STRICT;
  CREATE INDEX answer_tokens_by_approval ON answer_tokens (approval);
  `,
  // Everything that is counted against a limit, in one table; and which job a run is of.
  `
  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL,
    meter TEXT NOT NULL CHECK (meter IN ('actions', 'calls', 'asks', 'tokens', 'cost', 'minutes')),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    state TEXT NOT NULL CHECK (state IN ('reserved', 'spent')),
    at INTEGER NOT NULL,
    run TEXT,
    owner TEXT NOT NULL
  ) STRICT;
  INSERT INTO ledger (account, meter, amount, state, at, run, owner)
    SELECT key, CASE kind WHEN 'action' THEN 'actions' ELSE 'asks' END, 1, state, at, run, owner FROM reservations;
  INSERT INTO ledger (account, meter, amount, state, at, run, owner)
    SELECT key, 'cost', micro_usd, 'spent', at, run, '' FROM spending;
  DROP TABLE reservations;
  DROP TABLE spending;
  CREATE INDEX ledger_by_account ON ledger (account, meter, at, amount);
  CREATE INDEX ledger_reserved ON ledger (account, meter) WHERE state = 'reserved';
  ALTER TABLE runs ADD COLUMN job TEXT;
  `,
  // What is stopped by itself: the network, tools, runs.
  `
  ALTER TABLE stop_switch ADD COLUMN parts TEXT NOT NULL DEFAULT '[]';
  `,
  // What somebody outside is to be told, until that was done.
  `
  CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('question', 'job-news')),
    about TEXT NOT NULL,
    receiver TEXT NOT NULL,
    run TEXT,
    body TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed', 'abandoned')),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    owner TEXT,
    detail TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX outbox_by_subject ON outbox (kind, about);
  CREATE INDEX outbox_waiting ON outbox (next_at) WHERE state = 'waiting';
  `,
  // The program that a job tells, as a person confirmed it.
  "ALTER TABLE jobs ADD COLUMN notify_digest TEXT;",
  // Sub-agents: of which run, and of which of its calls.
  `
  ALTER TABLE runs ADD COLUMN parent TEXT;
  ALTER TABLE runs ADD COLUMN parent_call TEXT;
  CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL;
  `,
  // Steps that a rewind took back, which rewind a run ended last, and from where a run was forked (`RUN@TURN`).
  `
  ALTER TABLE steps ADD COLUMN rewind TEXT;
  ALTER TABLE runs ADD COLUMN rewind TEXT;
  ALTER TABLE runs ADD COLUMN forked_from TEXT;
  `,
  // Runs that plan: `open`, or the SHA-256 of the plan that a person approved.
  "ALTER TABLE runs ADD COLUMN plan TEXT;",
  MEMORY_STEP,
  // Jobs that a run proposed, and what its model had been given by then (JSON).
  "ALTER TABLE jobs ADD COLUMN from_run TEXT; ALTER TABLE jobs ADD COLUMN labels TEXT NOT NULL DEFAULT '[]';",
  // Grants for each run of a job as it was then: exactly one call, with all that it was bound to.
  "ALTER TABLE grants ADD COLUMN job TEXT; ALTER TABLE grants ADD COLUMN job_revision TEXT; ALTER TABLE grants ADD COLUMN exactly TEXT;",
];
