import { newId } from "../base/ids.ts";
import { issueToken } from "./answer-token.ts";
import type { Approvals } from "./approvals.ts";
import type { ApprovalCard } from "./card.ts";
import type { ApprovalChannel } from "./channel.ts";
import { deliver, DELIVERY_TIMING, type DeliveryEnd, type DeliveryTiming } from "./webhook-delivery.ts";
import { questionBody, sharedCard } from "./webhook-message.ts";
import { signedHeaders } from "./webhook-signature.ts";

/** Where questions are posted, as the user configured it. */
export type Webhook = {
  readonly name: string;
  /** https, or http to this machine. */
  readonly url: URL;
  /** {@link webhookKey} */
  readonly key: Buffer;
  /** The person who gets it, in whose name an answer counts. */
  readonly holder: string;
};

export type WebhookSetting = {
  readonly approvals: Approvals;
  /** Where an answer can be posted: the endpoint's address as the receiver reaches it. Null: answers come by other ways only. */
  readonly answersUrl: URL | null;
  readonly isParked: boolean;
  readonly redact: (text: string) => string;
  /** Called with the end of each delivery. */
  readonly record: (delivery: RecordedDelivery) => void;
  /** Absent: {@link DELIVERY_TIMING}. */
  readonly timing?: DeliveryTiming;
};

export type RecordedDelivery = DeliveryEnd & {
  readonly approval: string;
  readonly webhook: string;
  /** The message's `webhook-id`. */
  readonly message: string;
  /** Scheme, host and port; a path may be a secret. */
  readonly to: string;
  /** Whether a token went with it. */
  readonly invites: boolean;
};

/** A channel that posts the card to one receiver. It answers nothing itself: `told` when it was delivered, `nobody` when it was not. */
export type WebhookChannel = ApprovalChannel & { /** Resolves when nothing is under way any more. */ settled(): Promise<void> };

/**
 * Posts each question to a webhook, signed. A card that had to be shortened, or that a secret was taken out of, goes out without a token: by a part of
 * it nobody can say yes to the whole.
 */
export function webhookChannel(webhook: Webhook, setting: WebhookSetting): WebhookChannel {
  const underWay = new Set<Promise<DeliveryEnd>>();
  return {
    name: webhook.name,
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

async function send(webhook: Webhook, setting: WebhookSetting, card: ApprovalCard, signal: AbortSignal): Promise<DeliveryEnd> {
  const { approvals, answersUrl, isParked } = setting;
  const shared = sharedCard(card, setting.redact);
  const invites = shared.isWhole && answersUrl !== null;
  const answer = invites
    ? {
        method: "POST" as const,
        url: new URL(`approvals/${card.approvalId}`, answersUrl).href,
        token: issueToken(approvals, card, { holder: webhook.holder, channel: webhook.name }),
        expiresAt: new Date(card.expiresAtMs).toISOString(),
      }
    : null;
  const id = newId("message");
  const body = questionBody(shared, { atMs: approvals.clock.nowMs(), isParked, answer });
  const headers = () => signedHeaders(webhook.key, { id, atMs: approvals.clock.nowMs(), body });
  const end = await deliver({ url: webhook.url, body, headers, timing: setting.timing ?? DELIVERY_TIMING, signal });
  setting.record({ ...end, approval: card.approvalId, webhook: webhook.name, message: id, to: webhook.url.origin, invites });
  return end;
}
