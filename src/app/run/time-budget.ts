import type { TimeMeter } from "../../agent/spending.ts";
import type { Clock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { left, reserve, settle, type Budget, type Reservation } from "../../budgets/budget.ts";

/** Time is taken in pieces: of a process that dies at most one counts too much, and none too little. */
const PIECE_MS = 60_000;

export type TimeLease = TimeMeter & {
  /** Gives back what was not used of the last piece. Idempotent. */
  readonly end: () => void;
};

type Piece = { readonly taken: Reservation; readonly fromMs: number; readonly lengthMs: number };

/** Takes a run's time from every limit of `minutes`, for as long as it goes on. */
export function startTimeLease(budget: Budget, clock: Pick<Clock, "monotonicMs">, pieceMs = PIECE_MS): TimeLease {
  const over = new AbortController();
  let why = "";
  let piece: Piece | null = null;
  let timer: NodeJS.Timeout | null = null;
  const stop = (reason: string): void => {
    why = reason;
    over.abort();
  };
  const pay = (): void => {
    if (piece !== null) settle(budget, piece.taken, { minutes: Math.ceil(clock.monotonicMs() - piece.fromMs) });
  };
  const take = (): void => {
    // Later than the piece was long where the process stood still, or waited for its turn to write: that was time of the run, too.
    pay();
    const next = takePiece(budget, clock, pieceMs);
    if (typeof next === "string") return stop(next);
    piece = next;
    timer = setTimeout(renew, next.lengthMs);
  };
  const renew = (): void => {
    try {
      take();
    } catch (error) {
      // Nobody waits for a timer. The run ends here, and what it does next tells the same fault.
      if (!(error instanceof AgentError)) throw error;
      stop(`The time of the run cannot be counted: ${error.message}`);
    }
  };
  take();
  return {
    signal: over.signal,
    reason: () => why,
    end: () => {
      if (timer !== null) clearTimeout(timer);
      pay();
      piece = null;
    },
  };
}

/** The next piece, or why there is none. */
function takePiece(budget: Budget, clock: Pick<Clock, "monotonicMs">, pieceMs: number): Piece | string {
  return budget.store.exclusively(() => {
    const lengthMs = Math.max(1, Math.min(pieceMs, left(budget, "minutes", true) ?? pieceMs));
    const taken = reserve(budget, { minutes: lengthMs });
    return taken.kind === "spent" ? `Nothing is left of ${taken.window.name}.` : { taken, fromMs: clock.monotonicMs(), lengthMs };
  });
}
