import { continuationOf } from "../../agent/journal.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import { appendAudit } from "../../audit/log/log.ts";
import { AgentError } from "../../base/errors.ts";
import type { ModelProvider } from "../../providers/contract/provider.ts";
import { readSteps } from "./journal.ts";
import type { SandboxedRun } from "./open.ts";

/** Keeps what a run's workspace is after each of its turns, while the model thinks about the next. */
export type TurnKeeper = {
  /** The same provider: when it is asked, all calls of the turn before were answered. */
  readonly noted: <T extends ModelProvider>(provider: T) => T;
  /** Until what the last turn left is kept: nothing may write before. */
  readonly settled: () => Promise<void>;
  /** Keeps the turn that the run ended with, if that was whole. */
  readonly last: () => Promise<void>;
};

/** More than one reason says. */
const MAX_REASON = 512;

/** `say`: told once for each reason for which a turn was not kept. */
export function keepTurns({ id, session, records }: Pick<SandboxedRun, "id" | "session" | "records">, say: (turn: number, reason: string) => void): TurnKeeper {
  const { store, audit } = records;
  let last: Promise<void> = Promise.resolve();
  let said = "";
  const keep = async (): Promise<void> => {
    const turn = store.steps.turns(id);
    if (turn === 0) return;
    const kept = await kindly(() => session.keepTurn(turn, store.audit.end()?.seq ?? 0));
    if (typeof kept !== "string") return;
    const reason = storedBeginning(kept, redactFor(audit), MAX_REASON);
    appendAudit(audit, { run: id, payload: { kind: "turn-not-kept", turn, reason } });
    if (reason !== said) say(turn, reason);
    said = reason;
  };
  const start = (): void => {
    last = last.then(keep);
    // Whoever waits for it hears of a fault.
    last.catch(() => undefined);
  };
  return {
    noted: (provider) => ({
      ...provider,
      stream: (request, signal) => {
        start();
        return provider.stream(request, signal);
      },
    }),
    settled: () => last,
    last: async () => {
      if (continuationOf("", readSteps(store, id).steps).calls.length === 0) start();
      await last;
    },
  };
}

/** Why it was not kept, or null. A run does not end for it. */
async function kindly(keep: () => ReturnType<SandboxedRun["session"]["keepTurn"]>): Promise<string | null> {
  try {
    const kept = await keep();
    return kept?.state.kind === "none" ? kept.state.reason : null;
  } catch (error) {
    if (error instanceof AgentError) return error.problem;
    throw error;
  }
}
