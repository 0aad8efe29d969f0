import { newId } from "../../base/ids.ts";
import { settleUnwanted, tryMessage, type MessageEnd, type MessageOver, type MessageWork } from "../../store/outbox.ts";
import { issueToken, tokenOfMessage } from "../http-answers/token.ts";
import type { Approvals } from "../approvals.ts";
import type { ApprovalCard } from "../card.ts";
import { post, type DeliveryTiming } from "./delivery.ts";
import { questionBody, sharedCard, withToken } from "./message.ts";
import { signedHeaders } from "./signature.ts";

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

/** How a delivery stands. `put-off`: this process tries no more, and whoever runs next does. */
export type RecordedDelivery = Omit<MessageEnd, "state"> & {
  readonly state: MessageOver | "put-off";
  readonly run: string | null;
  readonly approval: string;
  readonly webhook: string;
  /** The message's `webhook-id`. */
  readonly message: string;
  /** Scheme, host and port; a path may be a secret. */
  readonly to: string;
  /** Whether a token went with it. */
  readonly invites: boolean;
};

/** Records how a delivery stands; `land` changes the outbox, in the same transaction. Records nothing, and says false, where `land` says that it stands otherwise. */
export type RecordDelivery = (delivery: RecordedDelivery, land: () => boolean) => boolean;

/** Longer than a try takes: another process takes a message over only when the earlier one must have ended. */
const LEASE_SLACK_MS = 5_000;

export type KeepSetting = {
  readonly approvals: Approvals;
  /** Where an answer can be posted: the endpoint's address as the receiver reaches it. Null: answers come by other ways only. */
  readonly answersUrl: URL | null;
  readonly isParked: boolean;
  readonly redact: (text: string) => string;
};

/**
 * Puts a question into the outbox for a webhook, once, and gives the message's id. A card that had to be shortened, or that a secret was taken out of,
 * goes out without a token: by a part of it nobody can say yes to the whole.
 */
export function keepQuestion(webhook: Webhook, setting: KeepSetting, card: ApprovalCard): string {
  const { approvals, answersUrl, isParked } = setting;
  const { store, clock } = approvals;
  return store.exclusively(() => {
    const known = store.outbox.of("question", card.approvalId, webhook.name);
    if (known !== null) return known.id;
    const shared = sharedCard(card, setting.redact);
    const id = newId("message");
    const invites = shared.isWhole && answersUrl !== null;
    if (invites) issueToken(approvals, card, { holder: webhook.holder, channel: webhook.name, message: id });
    const answer = invites
      ? { method: "POST" as const, url: new URL(`approvals/${card.approvalId}`, answersUrl).href, expiresAt: new Date(card.expiresAtMs).toISOString() }
      : null;
    const nowMs = clock.nowMs();
    const body = questionBody(shared, { atMs: nowMs, isParked, answer });
    const about = { kind: "question", about: card.approvalId, receiver: webhook.name, run: card.runId } as const;
    store.outbox.add({ id, ...about, body, nextAtMs: nowMs, expiresAtMs: card.expiresAtMs });
    return id;
  });
}

export type PostSetting = {
  readonly approvals: Approvals;
  readonly record: RecordDelivery;
  readonly timing: DeliveryTiming;
  readonly signal: AbortSignal;
};

/** Posts a question that is in the outbox, once, when it is due; `since` as for {@link tryMessage}. */
export async function postQuestion(webhook: Webhook, setting: PostSetting, id: string, since: number | null = null): Promise<MessageEnd> {
  return await tryMessage(setting.approvals, id, workOf(webhook, setting, id), since);
}

/** Ends a delivery that nobody needs any more, because the question is over; says how it stands. */
export function settleQuestion(webhook: Webhook, setting: PostSetting, id: string): MessageEnd | null {
  return settleUnwanted(setting.approvals, id, workOf(webhook, setting, id));
}

/** What the log keeps of a delivery; null when it is gone from the outbox. */
export function deliveryOf(
  { store }: Approvals,
  webhook: Pick<Webhook, "name"> & { readonly url: URL | null },
  id: string,
): Omit<RecordedDelivery, keyof MessageEnd> | null {
  const row = store.exclusively(() => store.outbox.byId(id));
  if (row === null) return null;
  const { invites } = withToken(row.body, () => "");
  return { run: row.run, approval: row.about, webhook: webhook.name, message: id, to: webhook.url?.origin ?? "nowhere", invites };
}

function workOf(webhook: Webhook, setting: PostSetting, id: string): MessageWork {
  const { approvals, timing, signal } = setting;
  return {
    isWanted: ({ about }) => approvals.store.approvals.byId(about)?.state === "pending",
    send: ({ body: bare }) => {
      const { body } = withToken(bare, () => tokenOfMessage(approvals, id));
      const headers = signedHeaders(webhook.key, { id, atMs: approvals.clock.nowMs(), body });
      return post({ url: webhook.url, body, headers, timeoutMs: timing.timeoutMs, signal });
    },
    leaseMs: timing.timeoutMs + LEASE_SLACK_MS,
    waitsMs: timing.waitsMs,
    record: (end, land) => {
      const delivery = deliveryOf(approvals, webhook, id);
      return delivery !== null && setting.record({ ...delivery, ...end }, land);
    },
  };
}
