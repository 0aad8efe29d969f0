import { systemClock } from "../../base/clock.ts";
import { canonicalJson } from "../../base/digest.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Store } from "../../store/store.ts";
import { policyLines } from "./difference.ts";

/** Keeps what a policy says, so that a person can be shown what changed in it. */
export function keepPolicy(store: Store, policy: Policy): void {
  store.exclusively(() => {
    store.policies.keep(policy.digest, canonicalJson(policyLines(policy)), systemClock.nowMs());
  });
}
