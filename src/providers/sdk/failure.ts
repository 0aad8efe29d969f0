import { APICallError } from "@ai-sdk/provider";
import { AgentError } from "../../base/errors.ts";
import { makeVisible } from "../../base/text.ts";
import type { ModelFailure } from "../contract/provider.ts";

const MAX_MESSAGE_CHARACTERS = 4000;
const MAX_RETRY_AFTER_MS = 60_000;

/** What went wrong in words for a person. Every one of `secrets` is blotted out, because servers quote keys. */
export function toFailure(error: unknown, secrets: readonly string[]): ModelFailure {
  const say = (text: string) => {
    let message = text;
    for (const secret of secrets) if (secret !== "") message = message.replaceAll(secret, "[secret]");
    return makeVisible(message.slice(0, MAX_MESSAGE_CHARACTERS));
  };
  if (error instanceof AgentError) return { code: "provider-failed", message: say(error.message), isRetryable: false };
  if (APICallError.isInstance(error)) {
    const status = error.statusCode;
    if (status !== undefined && status < 400) {
      return {
        code: "provider-failed",
        message: say(`The model's answer could not be read: ${error.message} (${describe(error.cause)})`),
        isRetryable: isBrokenConnection(error.cause),
      };
    }
    const isRetryable = status === undefined ? error.isRetryable : status === 408 || status === 429 || status >= 500;
    const message = say(
      status === undefined ? `The model's server could not be reached: ${error.message}` : `The model's server answered ${status}: ${error.message}`,
    );
    const retryAfterMs = readRetryAfter(error.responseHeaders?.["retry-after"]);
    return { code: "provider-failed", message, isRetryable, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  return { code: "provider-failed", message: say(`The model's answer could not be read: ${describe(error)}`), isRetryable: isBrokenConnection(error) };
}

// What `fetch` throws when a connection ends in the middle ("terminated").
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError;
}

function describe(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return typeof error === "string" ? error : (JSON.stringify(error) ?? "unknown");
}

// RFC 9110: seconds or a date; a date is rare here and read as "no advice".
function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,6}(\.\d+)?$/u.test(header)) return null;
  return Math.min(Number(header) * 1000, MAX_RETRY_AFTER_MS);
}
