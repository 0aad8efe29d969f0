import { redactSecrets } from "../audit/entries/redact.ts";
import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import type { Store } from "../store/store.ts";
import type { Job } from "./job.ts";

export type JobNews =
  | { readonly kind: "began"; readonly run: string; readonly at: number; readonly isResumed: boolean }
  | {
      readonly kind: "ended";
      readonly run: string;
      readonly at: number;
      readonly outcome: string;
      readonly detail: string | null;
      readonly nextAtMs: number | null;
      readonly summary: Readonly<Record<string, unknown>> | null;
    }
  | { readonly kind: "held"; readonly because: string }
  /** `run`: one that was not over, and goes on only by hand. */
  | { readonly kind: "removed"; readonly run: string; readonly by: string };

/** What a run of the job tells its person. */
type JobWords = { readonly kind: "said"; readonly run: string; readonly at: number; readonly text: string };

/** What lies in the outbox for a job that tells its news. `policy`: with the workspace it says where the agent could write. `notifier`: the program that is told, as it was confirmed. */
export type KeptNews = { readonly workspace: string; readonly policy: string; readonly notifier: string | null; readonly news: JobNews | JobWords };

/** Behind this nobody needs to hear of it: the history has it. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

/** Puts news of a job into the outbox, if the job tells anybody. The caller holds the store exclusively, and changes in it what is told of. */
export function keepNews({ store, clock }: { readonly store: Store; readonly clock: Clock }, job: Job, news: JobNews | JobWords): void {
  if (job.notify === null) return;
  const kept: KeptNews = { workspace: job.workspace, policy: job.policy, notifier: job.notifyDigest, news };
  const nowMs = clock.nowMs();
  store.outbox.add({
    id: newId("message"),
    kind: "job-news",
    about: job.name,
    receiver: job.notify,
    run: news.kind === "held" ? null : news.run,
    body: JSON.stringify(kept, (_, value: unknown) => (typeof value === "string" ? redactSecrets(value) : value)),
    nextAtMs: nowMs,
    expiresAtMs: nowMs + KEPT_MS,
  });
}

/** What a run of a job tells its person goes to whoever is told of the job, too. As {@link keepNews}; a run of no job has nobody else. */
export function keepWords(parts: Parameters<typeof keepNews>[0], name: string | null, { run, text }: Pick<JobWords, "run" | "text">): void {
  const job = name === null ? null : parts.store.schedule.job(name);
  if (job !== null) keepNews(parts, job, { kind: "said", run, at: parts.clock.nowMs(), text });
}
