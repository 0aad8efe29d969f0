import type { SourcePosition, UnitDecision, Verdict } from "../decision.ts";
import type { Circumstances, Wanted } from "./wanted.ts";

/** What a person reads first: the groups in the order in which they are shown. */
export const GROUPS = ["allowed", "unasked", "may-widen", "limits", "sandbox", "people", "asked", "refused"] as const;

/**
 * `allowed`: what was refused is allowed, or asked about. `unasked`: what was asked about is allowed. `asked`, `refused`: more is. `people`: who approves, hooks,
 * what becomes of a question that nobody answers. `may-widen`: no call was found that shows it, and none is proven to be absent.
 */
export type Group = (typeof GROUPS)[number];

/** The group of a call by its two verdicts, which differ. */
export function groupOf(before: Verdict, after: Verdict): Group {
  if (before === "deny") return "allowed";
  if (after === "allow") return "unasked";
  return after === "ask" ? "asked" : "refused";
}

export type Direction = "widens" | "tightens" | "may-widen";

/** What differs between the files. */
export type ChangedPart = {
  /** `rule deploy: allow "npm run *"`, `autonomy`, `forbidden **\/.env`. */
  readonly what: string;
  readonly was: string | null;
  readonly is: string | null;
  /** In the policy before, for what is no longer stated; else in the policy after. Absent: stated nowhere, so a default holds. */
  readonly at?: SourcePosition;
};

/** What decided, on one side. */
export type Decided = { readonly verdict: Verdict; readonly rule: string; readonly at?: SourcePosition };

/** A call that both evaluators were asked about, and what they said. */
export type Witness = { readonly wanted: Wanted; readonly circumstances: Circumstances; readonly before: Decided; readonly after: Decided };

/** A set of calls that is decided differently, or a setting that is no call's. */
export type Difference = {
  readonly group: Group;
  readonly direction: Direction;
  readonly part: ChangedPart;
  /** Absent for what no single call shows: limits, the sandbox, people; and for what only may widen. */
  readonly witness?: Witness;
  /** Why it is not known exactly. */
  readonly why?: string;
  /** So many calls of the audit log lie in it. Absent: nobody asked, or it is no call's. */
  readonly logged?: number;
  /** Whether a unit of any call that both policies decide differently is decided so because of this. Absent for settings. */
  readonly explains?: (before: UnitDecision, after: UnitDecision) => boolean;
};

export type Outcome = "same" | "only-tightens" | "widens" | "may-widen";

/** What all of them come to: a widening beats everything. */
export function outcomeOf(differences: readonly Pick<Difference, "direction">[]): Outcome {
  if (differences.some(({ direction }) => direction === "widens")) return "widens";
  if (differences.some(({ direction }) => direction === "may-widen")) return "may-widen";
  return differences.length > 0 ? "only-tightens" : "same";
}
