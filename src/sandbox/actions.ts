import { commandEnvironment } from "./command-environment.ts";
import type { Lane } from "./lane.ts";
import type { Outcome } from "./outcome.ts";
import type { Redaction } from "./redaction.ts";
import { execOutcome, verbOutcome } from "./supervisor/outcomes.ts";
import { performRequest } from "./egress/client/perform.ts";
import type { Egress } from "./egress/start.ts";
import type { BrowseAction, JobAction, PerformOptions, RequestAction, SandboxAction, SandboxProfile } from "./runtime.ts";

export type ActionContext = {
  readonly lane: Lane;
  readonly profile: SandboxProfile;
  readonly home: string;
  /** As a workspace's. */ readonly hooks: string | null;
  readonly redaction: Redaction;
};

type Action<Kind extends SandboxAction["kind"]> = Extract<SandboxAction, { kind: Kind }>;

/** Carries out an action whose permit was spent. Never rejects: how it ended is the outcome. */
export function performAction(
  context: ActionContext,
  action: Exclude<SandboxAction, JobAction | RequestAction | BrowseAction>,
  options: PerformOptions,
): Promise<Outcome> {
  switch (action.kind) {
    case "exec":
      return exec(context, action, options);
    case "read-file":
      return readFile(context, action, options);
    case "write-file":
      return writeFile(context, action, options);
    case "list":
      return list(context, action, options);
    case "search":
      return search(context, action, options);
  }
}

/** A request through the session's egress proxy; where there is none, nothing is reached. Never rejects. */
export async function requestIn(
  { egress }: { readonly egress: Egress | null },
  { request }: RequestAction,
  { trusted, signal: cancelled }: { readonly trusted: readonly string[] | undefined; readonly signal: AbortSignal | undefined },
): Promise<Outcome> {
  const begun = performance.now();
  const bound = AbortSignal.any([...(cancelled === undefined ? [] : [cancelled]), AbortSignal.timeout(request.timeoutMs)]);
  const result = egress === null ? null : await performRequest(request, { egress, trusted }, bound);
  const durationMs = Math.round(performance.now() - begun);
  if (cancelled?.aborted === true) return { kind: "cancelled", partial: null, durationMs };
  return { kind: "completed", result: { kind: "request", result }, durationMs };
}

async function exec(context: ActionContext, action: Action<"exec">, options: PerformOptions): Promise<Outcome> {
  const { settings } = context.profile;
  const timeoutMs = Math.max(1, Math.min(action.timeoutMs, settings.commandTimeoutMs));
  const live = options.onOutput === undefined ? null : context.redaction.live(options.onOutput);
  const reply = await context.lane.supervisor.exec(
    {
      argv: action.argv,
      cwd: action.cwd,
      // PATH, HOME and the others stand last: neither a passed-through variable nor a call replaces them.
      env: { ...action.env, ...commandEnvironment(context.profile, context.home, context.hooks) },
      timeoutMs,
      outputBytes: Math.max(0, Math.min(action.outputBytes, settings.outputBytes)),
    },
    { ...(options.signal === undefined ? {} : { signal: options.signal }), ...(live === null ? {} : { onOutput: live.take }) },
  );
  live?.finish();
  const shown =
    reply.kind === "not-started" ? reply : { ...reply, stdout: context.redaction.output(reply.stdout), stderr: context.redaction.output(reply.stderr) };
  return execOutcome(shown, { isCancelled: options.signal?.aborted === true, timeoutMs });
}

async function readFile(context: ActionContext, action: Action<"read-file">, options: PerformOptions): Promise<Outcome> {
  const reply = await context.lane.supervisor.read({ path: action.path, offset: action.offset, length: action.length }, verbOptions(context, options));
  if (reply.kind === "done" && reply.value.sha256 === null)
    return {
      kind: "failed",
      code: "too-large",
      reason: `${action.path} has ${String(reply.value.size)} bytes; files up to 64 MiB are read.`,
      durationMs: reply.durationMs,
    };
  return verbOutcome(reply, (value) => ({ kind: "read-file", bytes: value.bytes, size: value.size, sha256: value.sha256 ?? "" }));
}

async function writeFile(context: ActionContext, action: Action<"write-file">, options: PerformOptions): Promise<Outcome> {
  const { expected } = action;
  const expectation =
    expected === undefined ? { kind: "any" as const } : expected === null ? { kind: "absent" as const } : { kind: "digest" as const, sha256: expected };
  const reply = await context.lane.supervisor.write(
    { path: action.path, content: Buffer.from(action.content, action.encoding ?? "utf8"), expectation },
    verbOptions(context, options),
  );
  return verbOutcome(reply, (value) => ({ kind: "write-file", sha256: value.sha256, created: value.created }));
}

async function list(context: ActionContext, action: Action<"list">, options: PerformOptions): Promise<Outcome> {
  const reply = await context.lane.supervisor.list({ path: action.path, depth: action.depth, maxEntries: action.maxEntries }, verbOptions(context, options));
  return verbOutcome(reply, (value) => ({
    kind: "list",
    // An entry that vanished while it was listed is not there.
    entries: value.entries
      .filter((entry) => entry.type !== "missing")
      .map((entry) => ({ name: entry.name, type: entry.type === "missing" ? "other" : entry.type, size: entry.size })),
    isTruncated: value.isTruncated,
  }));
}

async function search(context: ActionContext, action: Action<"search">, options: PerformOptions): Promise<Outcome> {
  const reply = await context.lane.supervisor.search(action, verbOptions(context, options));
  return verbOutcome(reply, (found) => ({ kind: "search", ...found }));
}

function verbOptions(context: ActionContext, options: PerformOptions): { signal?: AbortSignal; timeoutMs: number } {
  return { timeoutMs: context.profile.settings.commandTimeoutMs, ...(options.signal === undefined ? {} : { signal: options.signal }) };
}
