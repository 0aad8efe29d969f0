import { appendAuditWith } from "../../audit/log/log.ts";
import { AgentError } from "../../base/errors.ts";
import type { KeptNews } from "../../schedule/job-news.ts";
import { RETRY_WAITS_MS, tryMessage, type MessageEnd, type SendEnd } from "../../store/outbox.ts";
import type { OutboxRow } from "../../store/rows/outbox.ts";
import { deliverDue, type Delivering } from "../approvals/deliver.ts";
import { deliverQuestions } from "../approvals/deliver-questions.ts";
import { pathApart } from "../setup/places-apart.ts";
import { changedNotifier, checkSink, notifierDigest } from "../jobs/notifier.ts";
import { readSink, sendTo } from "../records/sink.ts";
import type { Records } from "../records/records.ts";
import { readContext, writablePlaces } from "../setup/context.ts";

/** More than a program that is told may take (`sendTo`). */
const NEWS_LEASE_MS = 20_000;

/** Sends everything that lies in the outbox and is due, once: news of jobs, and questions ({@link deliverQuestions}). */
export async function deliverAll(records: Records, delivering: Delivering): Promise<void> {
  await deliverDue(records, "job-news", delivering, (row) => deliverNews(records, row));
  await deliverQuestions(records, delivering);
}

async function deliverNews(records: Records, { id, receiver, about, run }: OutboxRow): Promise<MessageEnd> {
  const { store, audit, approvals } = records;
  return await tryMessage({ store, clock: approvals.clock }, id, {
    isWanted: () => true,
    send: (row) => Promise.resolve(sendNews(records, row)),
    leaseMs: NEWS_LEASE_MS,
    waitsMs: RETRY_WAITS_MS,
    record: (end, land) =>
      appendAuditWith(audit, () => (land() ? { run, payload: { kind: "schedule-told", job: about, message: id, to: receiver, ...end } } : null)) !== null,
  });
}

/** News as a line of JSON; `id` is what a receiver knows a repeat by. */
function sendNews({ store }: Records, { id, about, receiver, body }: OutboxRow): SendEnd {
  const { workspace, policy, notifier, news } = JSON.parse(body) as KeptNews;
  try {
    const sink = readSink(receiver);
    const writable = placesOf(policy, workspace);
    checkSink(sink, writable);
    const job = store.schedule.job(about);
    const confirmed = [notifier, job?.notify === receiver ? job.notifyDigest : null];
    if (sink.kind === "command" && !confirmed.includes(notifierDigest(receiver) ?? "gone")) return { kind: "broken", detail: changedNotifier(about, receiver) };
    sendTo(sink, { id, job: about, workspace, ...news }, pathApart(writable));
    return { kind: "delivered", detail: "" };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // A program that failed, or a disk that is full, may be well again; a place that the agent can write to is no place.
    return { kind: error.code === "audit-unavailable" ? "broken" : "failed", detail: error.message };
  }
}

/** The policy of a held job may be one that cannot be read. */
function placesOf(policy: string, workspace: string): readonly string[] {
  try {
    return writablePlaces(readContext(policy, workspace));
  } catch (error) {
    if (error instanceof AgentError) return [workspace];
    throw error;
  }
}
