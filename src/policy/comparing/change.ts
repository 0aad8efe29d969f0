import type { UnitDecision } from "../decision.ts";
import type { ChangedPart } from "./difference.ts";
import type { Wanted } from "./wanted.ts";

/** One part of two policies that differs, and the calls that would show what comes of it, the shortest first. */
export type Change = {
  readonly part: ChangedPart;
  /** Whether some call might be decided more loosely because of it. False is proven. */
  readonly mayLoosen: boolean;
  /** Whether some call might be decided more strictly because of it. */
  readonly mayTighten: boolean;
  readonly candidates: readonly Wanted[];
  /** Further ones, looked at while nothing was found that may be there. */
  readonly further?: readonly Wanted[];
  /** Whether a unit that both policies decide differently is decided so because of this part. */
  readonly isCauseOf: (before: UnitDecision, after: UnitDecision) => boolean;
  /** Whether it may show on another day, or once the model was given something, and not today and at once. */
  readonly isConditional?: boolean;
  /** True: it follows from another part that differs, so it is told only for what calls show of it. */
  readonly isDerived?: true;
  /** Why no call may be found although there is one. */
  readonly limit?: string;
};
