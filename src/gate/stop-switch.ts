import { appendAudit, type AuditLog } from "../audit/log/log.ts";
import { AgentError } from "../base/errors.ts";
import { hasStopFile, putStopFile, removeStopFile, stopFile } from "../store/files/stop-file.ts";
import type { Store } from "../store/store.ts";
import { DELEGATES } from "../policy/tool-names.ts";

/** What is stopped: everything, what goes over the network, one tool, one run. */
export type StopScope = "all" | "network" | `tool:${string}` | `run:${string}`;

export type StopState = {
  readonly scopes: readonly StopScope[];
  /** Who engaged or released it last, and when; null when that cannot be read. */
  readonly by: string | null;
  readonly atMs: number | null;
  /** Why it counts as stopped although nobody can read what was stopped; null when it can be read. */
  readonly fault: string | null;
};

/** What a person is told who starts a run that is stopped: by itself, or with everything. */
export function stoppedAdvice(store: Store, run: string): string {
  if (isStopped(store) || !isStopped(store, { run })) return STOPPED_ADVICE;
  return `${run} is stopped by itself: it does not go on until a person says \`warder start --run ${run}\` at a terminal.`;
}

/** What a person is told who starts something under an engaged stop switch. */
export const STOPPED_ADVICE = "The stop switch is engaged: nothing runs until a person says `warder start` at a terminal. What is stopped: warder runs";

/** What is about to happen; what is not named is not asked about. */
export type StopQuestion = { readonly run?: string | readonly string[]; readonly tool?: string; readonly isNetwork?: boolean };

/** The stop switch as it stands. What cannot be read counts as stopped altogether. Never throws. */
export function readStop(store: Store): StopState {
  const broken = (fault: string): StopState => ({ scopes: ["all"], by: null, atMs: null, fault });
  try {
    const row = store.stop.read();
    if (row === null) return broken("its state is gone from the database");
    const parts = partsOf(row.parts);
    if (parts === null || (row.state !== "running" && row.state !== "stopped")) return broken("its state in the database is damaged");
    const isAll = row.state === "stopped" || hasStopFile(store.paths.directory);
    return { scopes: [...(isAll ? ["all" as const] : []), ...parts], by: row.changedBy, atMs: row.changedAtMs, fault: null };
  } catch (error) {
    // Whatever disk or database says: without an answer nothing may run.
    return broken(`it cannot be read: ${error instanceof Error ? error.message : "unknown fault"}`);
  }
}

/** Whether the stop switch is engaged, for everything or for what is asked about. What cannot be read counts as engaged. */
export function isStopped(store: Store, { run, tool, isNetwork = false }: StopQuestion = {}): boolean {
  const about: ReadonlySet<StopScope> = new Set<StopScope>([
    "all",
    ...(isNetwork ? (["network"] as const) : []),
    ...(tool === undefined ? [] : [`tool:${tool}` as const]),
    // Whoever stopped `agent` stopped every way to have sub-agents.
    ...(tool !== undefined && DELEGATES.has(tool) ? (["tool:agent"] as const) : []),
    ...(run === undefined ? [] : [run].flat().map((id) => `run:${id}` as const)),
  ]);
  return readStop(store).scopes.some((scope) => about.has(scope));
}

/**
 * Engages or releases the stop switch for every process at once. Stopping is done first and recorded then; starting is recorded first. Releasing
 * everything leaves the parts that were stopped by themselves. Throws `store-unavailable` or `audit-unavailable`; then it is stopped, or stays so, as
 * far as that could be done, and the message says how far.
 */
export function setStopSwitch(log: AuditLog, state: "stopped" | "running", by: string, scopes: readonly StopScope[] = ["all"]): void {
  if (state === "stopped") engage(log, by, scopes);
  const record = (): void => void appendAudit(log, { run: null, payload: { kind: "stop", state, scopes, by } });
  if (state === "stopped") return afterStop(log.store, record);
  record();
  write(log, by, (before) => before.filter((scope) => !scopes.includes(scope)));
  if (scopes.includes("all")) removeStopFile(log.store.paths.directory);
}

function engage(log: AuditLog, by: string, scopes: readonly StopScope[]): void {
  const { directory } = log.store.paths;
  const isFiled = scopes.includes("all") && putStopFile(directory);
  try {
    write(log, by, (before) => [...new Set([...before, ...scopes])].toSorted());
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw notStored(directory, isFiled || putStopFile(directory), error);
  }
}

function notStored(directory: string, isFiled: boolean, cause: AgentError): AgentError {
  if (!isFiled)
    return new AgentError("store-unavailable", `The stop switch could NOT be engaged: ${cause.problem}`, {
      cause,
      remedy: "Nothing new begins while nothing can be recorded. End what runs by ending its process (warder runs).",
    });
  return new AgentError("store-unavailable", `Everything is stopped, by the file ${stopFile(directory)}. The database did not take it: ${cause.problem}`, {
    cause,
    ...remedyOf(cause),
  });
}

function remedyOf({ remedy }: AgentError): { readonly remedy?: string } {
  return remedy === null ? {} : { remedy };
}

function afterStop(store: Store, record: () => void): void {
  try {
    record();
  } catch (error) {
    if (!(error instanceof AgentError) || !isStopped(store)) throw error;
    throw new AgentError(error.code, `It is stopped, but that could not be recorded: ${error.problem}`, { cause: error, ...remedyOf(error) });
  }
}

function write({ store, clock }: AuditLog, by: string, change: (before: readonly StopScope[]) => readonly StopScope[]): void {
  store.exclusively(() => {
    const row = store.stop.read();
    // Of what cannot be read nobody knows what was stopped: releasing it releases all of it, and the person was told.
    const before = row === null ? (["all"] as const) : [...(row.state === "running" ? [] : (["all"] as const)), ...(partsOf(row.parts) ?? [])];
    const scopes = change(before);
    const parts = scopes.filter((scope) => scope !== "all");
    store.stop.write({ state: scopes.includes("all") ? "stopped" : "running", parts: JSON.stringify(parts), changedBy: by, changedAtMs: clock.nowMs() });
  });
}

/** The parts that are stopped by themselves, or null for what nobody wrote. */
function partsOf(text: string): readonly Exclude<StopScope, "all">[] | null {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return Array.isArray(parts) && parts.every(isPart) ? parts : null;
}

function isPart(part: unknown): part is Exclude<StopScope, "all"> {
  return typeof part === "string" && /^(?:network|tool:.+|run:.+)$/su.test(part);
}
