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

const EMPTY_INBOX: Inbox = { hasSteering: () => false, takeSteering: () => [], takeFollowUps: () => [] };

/** The inbox of a run; empty where nobody fills one. */
export function inboxOf({ inbox = EMPTY_INBOX }: { readonly inbox?: Inbox }): Inbox {
  return inbox;
}
