/** Where the words of a person come from that a run hears on its way. */
export type InputSource = "task" | "steering" | "follow-up";

/** What waits for the model from a person. Taking empties it. */
export type Inbox = {
  /** Whether something waits that the model is to hear before it goes on: calls that were not begun are skipped for it. */
  readonly hasSteering: () => boolean;
  readonly takeSteering: () => readonly string[];
  /** Asked for only when the model is done. */
  readonly takeFollowUps: () => readonly string[];
};

/** An inbox that a program fills while the run goes on. */
export function createInbox(): Inbox & { readonly steer: (text: string) => void; readonly followUp: (text: string) => void } {
  const steering: string[] = [];
  const followUps: string[] = [];
  return {
    hasSteering: () => steering.length > 0,
    takeSteering: () => steering.splice(0),
    takeFollowUps: () => followUps.splice(0),
    steer: (text) => void steering.push(text),
    followUp: (text) => void followUps.push(text),
  };
}

export const EMPTY_INBOX: Inbox = { hasSteering: () => false, takeSteering: () => [], takeFollowUps: () => [] };

export type FilterVerdict =
  | { readonly kind: "pass" }
  /** It goes in, with this said behind it. */
  | { readonly kind: "warn"; readonly message: string }
  | { readonly kind: "reject"; readonly reason: string };

/** Looks at what a person says before the model hears it. */
export type InputFilter = (text: string, source: InputSource) => FilterVerdict;

/** What the filters make of a text: the first that rejects decides, and a filter that fails rejects. `warnings`: of all that warned. */
export function filterInput(
  filters: readonly InputFilter[],
  text: string,
  source: InputSource,
): { readonly kind: "accepted"; readonly warnings: readonly string[] } | { readonly kind: "rejected"; readonly reason: string } {
  const warnings: string[] = [];
  for (const filter of filters) {
    const verdict = attempt(filter, text, source);
    if (verdict.kind === "reject") return { kind: "rejected", reason: verdict.reason };
    if (verdict.kind === "warn") warnings.push(verdict.message);
  }
  return { kind: "accepted", warnings };
}

function attempt(filter: InputFilter, text: string, source: InputSource): FilterVerdict {
  try {
    return filter(text, source);
  } catch (error) {
    return { kind: "reject", reason: `an input filter failed: ${error instanceof Error ? error.message : "unknown fault"}` };
  }
}
