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
    const isRetryable = status === undefined ? error.isRetryable : isPassing(status);
    const message = say(
      status === undefined ? `The model's server could not be reached: ${error.message}` : `The model's server answered ${status}: ${error.message}`,
    );
    const retryAfterMs = readRetryAfter(error.responseHeaders ?? {}, Date.now());
    return { code: "provider-failed", message, isRetryable, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  const status = toldStatus(error);
  if (status !== null)
    return { code: "provider-failed", message: say(`The model's server broke off with ${status}: ${describe(error)}`), isRetryable: isPassing(status) };
  return { code: "provider-failed", message: say(`The model's answer could not be read: ${describe(error)}`), isRetryable: isBrokenConnection(error) };
}

/** Not the caller's fault: a timeout, a rate limit, an overload, a fault of the server. */
function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** What an error event within a stream amounts to as an HTTP status; null when it does not say. Servers put the status, or a word for it, in one of three places. */
function toldStatus(error: unknown): number | null {
  if (typeof error !== "object" || error === null || error instanceof Error) return null;
  const { statusCode, code, type } = error as { readonly statusCode?: unknown; readonly code?: unknown; readonly type?: unknown };
  const number = [statusCode, code].map(Number).find((status) => Number.isInteger(status) && status >= 400 && status <= 599);
  if (number !== undefined) return number;
  const words = [code, type].filter((word) => typeof word === "string").join(" ");
  if (words.includes("rate_limit")) return 429;
  return /overloaded|unavailable|server_error/u.test(words) ? 503 : null;
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

/** What a server asks to wait: `retry-after-ms` as OpenAI and Anthropic send it, or RFC 9110's seconds or date; null for no advice. At most a minute. */
function readRetryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const milliseconds = headers["retry-after-ms"];
  const header = headers["retry-after"];
  const bounded = (waitMs: number): number => Math.min(Math.max(0, waitMs), MAX_RETRY_AFTER_MS);
  if (milliseconds !== undefined && NUMBER.test(milliseconds)) return bounded(Number(milliseconds));
  if (header === undefined) return null;
  if (NUMBER.test(header)) return bounded(Number(header) * 1000);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : bounded(atMs - nowMs);
}

const NUMBER = /^\d{1,9}(\.\d+)?$/u;
