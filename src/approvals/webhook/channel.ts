import { setTimeout } from "node:timers/promises";
import type { MessageEnd } from "../../store/outbox.ts";
import type { ApprovalCard } from "../card.ts";
import type { ApprovalChannel } from "../channel.ts";
import { DELIVERY_TIMING, type DeliveryTiming } from "./delivery.ts";
import { deliveryOf, keepQuestion, postQuestion, settleQuestion, type KeepSetting, type RecordDelivery, type Webhook } from "./outbox.ts";

export type WebhookSetting = KeepSetting & {
  /** Called with the end of each delivery, and when this process leaves one to the next. */
  readonly record: RecordDelivery;
  /** Absent: {@link DELIVERY_TIMING}. */
  readonly timing?: DeliveryTiming;
};

/** A channel that posts the card to one receiver. It answers nothing itself: `told` when it was delivered, `nobody` when it was not. */
export type WebhookChannel = ApprovalChannel & { keep(card: ApprovalCard): void; /** Resolves when nothing is under way any more. */ settled(): Promise<void> };

/**
 * Posts each question to a webhook, signed. What could not be delivered within a minute is left to whoever runs next (`deliverDue`), and so is
 * everything that this process leaves when it dies.
 */
export function webhookChannel(webhook: Webhook, setting: WebhookSetting): WebhookChannel {
  const underWay = new Set<Promise<MessageEnd>>();
  return {
    name: webhook.name,
    keep: (card) => void keepQuestion(webhook, setting, card),
    ask: async (card, signal) => {
      const sending = send(webhook, setting, card, signal);
      underWay.add(sending);
      try {
        const { state, detail } = await sending;
        return state === "delivered" ? { kind: "told" } : { kind: "nobody", reason: `the webhook ${webhook.name} was not delivered (${detail || state})` };
      } finally {
        underWay.delete(sending);
      }
    },
    settled: async () => {
      await Promise.allSettled(underWay);
    },
  };
}

async function send(webhook: Webhook, { timing = DELIVERY_TIMING, ...setting }: WebhookSetting, card: ApprovalCard, signal: AbortSignal): Promise<MessageEnd> {
  const id = keepQuestion(webhook, setting, card);
  const posting = { ...setting, timing, signal };
  let end = await postQuestion(webhook, posting, id);
  for (const waitMs of timing.waitsMs.slice(0, timing.stays)) {
    if (end.state !== "waiting" || !(await waited(waitMs, signal))) break;
    end = await postQuestion(webhook, posting, id, end.attempts);
  }
  if (end.state !== "waiting") return end;
  const settled = settleQuestion(webhook, posting, id) ?? end;
  if (settled.state === "waiting") {
    const delivery = deliveryOf(setting.approvals, webhook, id);
    const isPutOff = (): boolean => setting.approvals.store.outbox.byId(id)?.state === "waiting";
    if (delivery !== null) setting.record({ ...delivery, ...settled, state: "put-off" }, isPutOff);
  }
  return settled;
}

async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  await setTimeout(ms, undefined, { signal }).catch(() => null);
  return !signal.aborted;
}
