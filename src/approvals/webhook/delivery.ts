import { request as requestHttps } from "node:https";
import { RETRY_WAITS_MS, type SendEnd } from "../../store/outbox.ts";

const { request: requestHttp } = process.getBuiltinModule("node:http");

/** When a delivery is tried again. In milliseconds. */
export type DeliveryTiming = {
  readonly waitsMs: readonly number[];
  /** Behind so many waits the process that asks leaves the rest to whoever runs next. */
  readonly stays: number;
  /** For how long one try may take. */
  readonly timeoutMs: number;
};

/** Four tries within about a minute. Longer would only keep the process of a parked run alive. */
export const DELIVERY_TIMING: DeliveryTiming = { waitsMs: RETRY_WAITS_MS, stays: 3, timeoutMs: 10_000 };

export type Post = {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/**
 * Posts a body to a receiver, once. A 2xx is a delivery. Network errors, 408, 429 and 5xx are worth a retry. A redirect is a failure and is not
 * followed: what is signed for one address goes to no other. The response's body is not read.
 */
export async function post(what: Post): Promise<SendEnd> {
  const end = await statusOf(what);
  if (end.kind === "broken") return { kind: "broken", detail: end.why };
  const detail = `status ${end.status}`;
  if (end.status >= 200 && end.status < 300) return { kind: "delivered", detail };
  return { kind: isTransient(end.status) ? "broken" : "failed", detail };
}

type Try = { readonly kind: "status"; readonly status: number } | { readonly kind: "broken"; readonly why: string };

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function statusOf({ url, body, headers, timeoutMs, signal }: Post): Promise<Try> {
  const { promise, resolve } = Promise.withResolvers<Try>();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(url, {
    method: "POST",
    agent: false,
    headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body), "user-agent": "warder" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  request.on("response", (response) => {
    resolve({ kind: "status", status: response.statusCode ?? 0 });
    response.on("error", () => null);
    response.destroy();
  });
  request.on("error", (error) => {
    const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
    resolve({ kind: "broken", why: error.name === "AbortError" || error.name === "TimeoutError" ? "no answer in time" : `no connection (${code})` });
  });
  request.end(body);
  return promise;
}
