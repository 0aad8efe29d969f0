import type { Clock } from "../base/clock.ts";
import type { Store } from "../store/store.ts";

/** Approvals and grants over one store. */
export type Approvals = { readonly store: Store; readonly clock: Clock };
