import { DELIVERY_TIMING } from "../../approvals/webhook/delivery.ts";
import { deliveryOf, postQuestion, type PostSetting } from "../../approvals/webhook/outbox.ts";
import { AgentError } from "../../base/errors.ts";
import { readSettings } from "../../config/settings-file.ts";
import type { MessageEnd } from "../../store/outbox.ts";
import type { OutboxRow } from "../../store/rows/outbox.ts";
import { deliverDue, type Delivering } from "./deliver.ts";
import type { Records } from "../records/records.ts";
import { readWebhook, recordingDeliveries } from "./webhooks.ts";

/**
 * Posts the questions that another process was to post and did not: it died, or the receiver was away. A question that cannot be posted from here,
 * because its secret is missing, stays for another process. Throws only if the store or the log cannot be written.
 */
export async function deliverQuestions(records: Records, delivering: Delivering): Promise<void> {
  await deliverDue(records, "question", delivering, (row) => deliverQuestion(records, row, delivering));
}

/** Null when it cannot be sent from here. */
async function deliverQuestion(records: Records, row: OutboxRow, { signal, say }: Delivering): Promise<MessageEnd | null> {
  const { store, audit, approvals } = records;
  const record = recordingDeliveries(audit);
  try {
    const configured = readSettings(store.paths.directory).webhooks.find(({ name }) => name === row.receiver);
    if (configured === undefined) {
      const gone = { state: "abandoned", attempts: row.attempts, detail: "no webhook of this name is configured any more" } as const;
      const delivery = deliveryOf(approvals, { name: row.receiver, url: null }, row.id);
      if (delivery !== null) record({ ...delivery, ...gone }, () => store.outbox.end(row, gone));
      return gone;
    }
    const setting: PostSetting = { approvals, record, timing: DELIVERY_TIMING, signal };
    return await postQuestion(readWebhook(configured, process.env).webhook, setting, row.id);
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "bad-configuration") throw error;
    say(`${row.about}: ${row.receiver} cannot be told from here: ${error.message}`);
    return null;
  }
}
