import { createHmac } from "node:crypto";
import { AgentError } from "../../base/errors.ts";

const PREFIX = "whsec_";
/** What the specification asks for: 192 to 512 bits. */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/**
 * The key in a secret of the Standard Webhooks specification: `whsec_` and base64 of 24 to 64 random bytes. Throws `bad-configuration`; `what` names
 * the webhook, and the message holds nothing of the secret.
 */
export function webhookKey(what: string, secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "";
  const key = Buffer.from(text, "base64");
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/u.test(text) && key.toString("base64").replaceAll("=", "") === text.replaceAll("=", "");
  if (isBase64 && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES) return key;
  throw new AgentError(
    "bad-configuration",
    `The secret of ${what} is not whsec_ and base64 of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes. Make one: echo "whsec_$(openssl rand -base64 32)"`,
  );
}

/** The headers of a signed message (Standard Webhooks 1.0, symmetric): HMAC-SHA-256 over `ID.SECONDS.BODY`. The receiver refuses old timestamps and known ids. */
export function signedHeaders(key: Buffer, message: { readonly id: string; readonly atMs: number; readonly body: string }): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(message.atMs / 1_000));
  const signature = createHmac("sha256", key).update(`${message.id}.${seconds}.${message.body}`).digest("base64");
  return { "webhook-id": message.id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
}
