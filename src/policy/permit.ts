import { AgentError } from "../base/errors.ts";

/**
 * Single-use proof that the gate authorised one sandbox action. The gate alone issues permits (the
 * architecture test holds that), and a sandbox session spends one for whatever it performs.
 */
export class Permit {
  /** Digest of the action that may run: `digestOf(action)`. */
  readonly actionDigest: string;
  /** Digest of the ruling that it was issued under. */
  readonly rulingDigest: string;
  #isSpent = false;

  constructor(actionDigest: string, rulingDigest: string) {
    this.actionDigest = actionDigest;
    this.rulingDigest = rulingDigest;
  }

  /** Spends the permit. Throws `broken-invariant` when it was spent before or was issued for another action. */
  spend(actionDigest: string): void {
    if (this.#isSpent) throw new AgentError("broken-invariant", "A permit was spent twice.");
    if (actionDigest !== this.actionDigest) throw new AgentError("broken-invariant", "A permit was issued for another action.");
    this.#isSpent = true;
  }
}
