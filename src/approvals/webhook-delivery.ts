import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { setTimeout } from "node:timers/promises";

/** When a delivery is tried again, and for how long one try may take. In milliseconds. */
export type DeliveryTiming = { readonly waitsMs: readonly number[]; readonly timeoutMs: number };

/** Four tries within about a minute: longer, and the process of a parked run would stay for nothing. */
export const DELIVERY_TIMING: DeliveryTiming = { waitsMs: [1_000, 4_000, 16_000], timeoutMs: 10_000 };

export type DeliveryEnd = {
  readonly state: "delivered" | "failed" | "abandoned";
  readonly attempts: number;
  /** The receiver's status, or what went wrong; nothing that the receiver wrote. */
  readonly detail: string;
};

export type Delivery = {
  readonly url: URL;
  readonly body: string;
  /** The headers of one try: the signature covers the time. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly timing: DeliveryTiming;
  readonly signal: AbortSignal;
};

/**
 * Posts a body to a receiver until it says 2xx: again after errors of the network, 408, 429 and 5xx, a bounded number of times; never after another
 * answer. A redirect is no delivery and is not followed: what is signed for one address goes to no other. What the receiver says besides its status is not read.
 */
export async function deliver(delivery: Delivery): Promise<DeliveryEnd> {
  const { timing, signal } = delivery;
  let detail = "";
  for (let attempt = 0; attempt <= timing.waitsMs.length; attempt += 1) {
    if (signal.aborted || !(await waited(timing.waitsMs[attempt - 1] ?? 0, signal))) return { state: "abandoned", attempts: attempt, detail };
    const end = await tryOnce(delivery);
    if (signal.aborted && end.kind === "broken") return { state: "abandoned", attempts: attempt + 1, detail };
    detail = end.kind === "status" ? `status ${end.status}` : end.why;
    if (end.kind === "status" && end.status >= 200 && end.status < 300) return { state: "delivered", attempts: attempt + 1, detail };
    if (end.kind === "status" && !isTransient(end.status)) return { state: "failed", attempts: attempt + 1, detail };
  }
  return { state: "failed", attempts: timing.waitsMs.length + 1, detail };
}

type Try = { readonly kind: "status"; readonly status: number } | { readonly kind: "broken"; readonly why: string };

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms === 0) return true;
  await setTimeout(ms, undefined, { signal }).catch(() => null);
  return !signal.aborted;
}

function tryOnce({ url, body, headers, timing, signal }: Delivery): Promise<Try> {
  const { promise, resolve } = Promise.withResolvers<Try>();
  const post = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = post(url, {
    method: "POST",
    agent: false,
    headers: { ...headers(), "content-type": "application/json", "content-length": Buffer.byteLength(body), "user-agent": "warder" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timing.timeoutMs)]),
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
