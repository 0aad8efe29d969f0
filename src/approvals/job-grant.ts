import { digestOf } from "../base/digest.ts";
import type { JobRow } from "../store/rows/schedule.ts";
import type { Approvals } from "./approvals.ts";

/** What a yes for each run of a job would hold for: the job as it is, and exactly one call. */
export type JobOffer = {
  readonly name: string;
  /** {@link jobRevision} of the job when the question was asked. */
  readonly revision: string;
  /** Digest of the call with all that it is bound to, but for the run. */
  readonly exactly: string;
  /** The kinds of effects that were asked about. */
  readonly effects: readonly string[];
};

/** What a job is, as a person confirmed it: not whether it is held, and not what else stands in the file that declares it. */
export function jobRevision({ heldBecause: _held, sourceDigest: _around, ...job }: JobRow): string {
  return digestOf(job);
}

/** Whether there is a job of this name, and it is what it was. */
export function isJobAsItWas({ store }: Pick<Approvals, "store">, job: { readonly name: string; readonly revision: string }): boolean {
  const row = store.schedule.job(job.name);
  return row !== null && jobRevision(row) === job.revision;
}
