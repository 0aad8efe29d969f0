import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import type { ApprovalState } from "../../store/rows/approvals.ts";
import { readOwn } from "../../store/files/regular-file.ts";
import { storeOnce } from "../../store/files/state-files.ts";
import { answerApproval, type AnswerReceipt, type Approvals } from "../approval.ts";
import type { ApprovalCard } from "../card.ts";

/** Who a token is given to: the person who holds the webhook, the webhook's name, and the message that it goes out with. */
export type TokenHolder = { readonly holder: string; readonly channel: string; readonly message: string };

/** What a person says with a token. Nothing that lasts: a pattern is granted at a terminal. */
export type TokenAnswer = {
  readonly approvalId: string;
  readonly token: string;
  /** The digest of the ruling on the card that they saw. */
  readonly rulingDigest: string;
  readonly verdict: "grant" | "refuse";
  readonly scope: "once" | "this-run";
  /** The card's risk in their own words: a yes to high risk has to say `high`. */
  readonly risk?: string;
  /** Of a no, why; of a question, the answer. */
  readonly message?: string;
  /** The holder's one-time code, where the card wants one. */
  readonly code?: string;
};

export type TokenReceipt =
  | (Extract<AnswerReceipt, { kind: "taken" | "counted" | "unconfirmed" }> & { readonly by: string })
  /** The token was for this question, and it is over: used, expired, or answered by somebody. */
  | { readonly kind: "over"; readonly state: ApprovalState | "unknown" | "used"; readonly by: string }
  /** No token of this question, whatever is wrong with it. */
  | { readonly kind: "stranger" };

const KEY_BYTES = 32;
const TOKEN = /^wat_[A-Za-z0-9_-]{43}$/u;
/** How long a token that expired is remembered, so that who comes late is told so. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Lets the token of a message answer a pending question, until that expires. It is told to nobody but the holder. */
export function issueToken(approvals: Approvals, card: ApprovalCard, { message, ...to }: TokenHolder): string {
  const token = tokenOfMessage(approvals, message);
  approvals.store.exclusively(() => {
    approvals.store.answerTokens.prune(approvals.clock.nowMs() - KEPT_MS);
    approvals.store.answerTokens.add({
      hash: sha256(token),
      approval: card.approvalId,
      rulingDigest: card.rulingDigest,
      expiresAtMs: card.expiresAtMs,
      ...to,
    });
  });
  return token;
}

/**
 * The token that goes out with a message: 256 bits that nobody finds without the key beside the database. Made of the message's id, so that it need not be
 * stored anywhere for a process that sends the message again.
 */
export function tokenOfMessage({ store }: Approvals, message: string): string {
  const mac = createHmac("sha256", answerKey(store.paths.keys)).update(`answer to ${message}`);
  return `wat_${mac.digest("base64url")}`;
}

function answerKey(keys: string): Buffer {
  const path = join(keys, "answers.key");
  const known = readKey(path);
  if (known !== null) return known;
  storeOnce(path, randomBytes(KEY_BYTES));
  return readKey(path) ?? tokenKeyFault(path, "is gone");
}

function readKey(path: string): Buffer | null {
  const key = readOwn(path, "store-unavailable");
  return key === null || key.length === KEY_BYTES ? key : tokenKeyFault(path, "is damaged");
}

function tokenKeyFault(path: string, what: string): never {
  throw new AgentError(
    "store-unavailable",
    `No answer over HTTP can be invited: the key ${path} ${what}. Remove it; a new one is made, and open invitations are void.`,
  );
}

/**
 * Takes an answer that came with a token. The token answers the one question and ruling that it was made for, once, in the name of its holder; one-time
 * codes count as that person's and nobody else's, so one token is never two persons. It is used up with an answer that counts.
 */
export function answerWithToken(approvals: Approvals, answer: TokenAnswer): TokenReceipt {
  return approvals.store.exclusively((): TokenReceipt => {
    const row = rowOf(approvals, answer);
    if (row === null || row.rulingDigest !== answer.rulingDigest) return { kind: "stranger" };
    const by = `${row.holder}@${row.channel}`;
    if (row.usedAtMs !== null) return { kind: "over", state: "used", by };
    if (row.expiresAtMs <= approvals.clock.nowMs()) return { kind: "over", state: "expired", by };
    const stored = approvals.store.approvals.byId(answer.approvalId);
    if (stored === null || stored.rulingDigest !== row.rulingDigest) return { kind: "stranger" };
    if (answer.verdict === "grant" && stored.risk === "high" && answer.risk !== "high")
      return { kind: "unconfirmed", reason: 'it is of high risk, and a yes to that has to say so: "risk": "high"', by };
    const receipt = answerApproval(approvals, answer.approvalId, personsAnswer(answer, row.holder, by));
    if (receipt.kind === "gone") return { kind: "over", state: receipt.state, by };
    if (receipt.kind !== "unconfirmed") approvals.store.answerTokens.use(row.hash, approvals.clock.nowMs());
    return { ...receipt, by };
  });
}

/** Whether the token is one that was made for this question, used and expired ones, too. Changes nothing. */
export function isTokenOf(approvals: Approvals, answer: Pick<TokenAnswer, "approvalId" | "token">): boolean {
  return rowOf(approvals, answer) !== null;
}

/** The token's row, found without telling by the time it takes how much of it was right. */
function rowOf({ store }: Approvals, { approvalId, token }: Pick<TokenAnswer, "approvalId" | "token">) {
  if (!TOKEN.test(token)) return null;
  const wanted = Buffer.from(sha256(token), "utf8");
  return store.answerTokens.of(approvalId).find(({ hash }) => timingSafeEqual(Buffer.from(hash, "utf8"), wanted)) ?? null;
}

function personsAnswer({ verdict, scope, message, code }: TokenAnswer, holder: string, by: string) {
  if (verdict === "refuse") return { kind: "refused", scope, by, ...(message === undefined ? {} : { message }) } as const;
  return {
    kind: "granted",
    scope,
    by,
    ...(message === undefined ? {} : { words: message }),
    ...(code === undefined ? {} : { code: { person: holder, code } }),
  } as const;
}
