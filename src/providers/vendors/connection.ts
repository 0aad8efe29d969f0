import { AgentError } from "../../base/errors.ts";
import type { ProviderSettings } from "../sdk/provider.ts";

type Fetch = typeof globalThis.fetch;

/** How a server is reached, beside its address and key. `fetch`: for tests and for egress control. */
export type ConnectOptions = Pick<ProviderSettings, "silenceMs" | "wait" | "maxPauseMs"> & { readonly fetch?: Fetch };

/** Environment variables as the person set them. Never a workspace's `.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** More than the longest answer of any model, as a stream of an event for each token. A server that sends more would fill the memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * `fetch` that follows no redirect, because a key would travel to wherever the answer points, and that takes no more than 64 MiB of an
 * answer; then its body ends with a `provider-failed`.
 */
export function guardedFetch(fetch: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.status < 300 || response.status > 399) return bounded(response);
    await response.body?.cancel();
    throw new AgentError(
      "provider-failed",
      `The model's server answered with a redirect (${response.status}), which is not followed. Set the base URL that it really has.`,
    );
  };
}

function bounded(response: Response): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_ANSWER_BYTES) controller.enqueue(chunk);
      else controller.error(new AgentError("provider-failed", "The model's server sent more than 64 MiB for one answer, so it was left."));
    },
  });
  return new Response(response.body.pipeThrough(count), { status: response.status, statusText: response.statusText, headers: response.headers });
}

/** The value of a variable that must be set. Throws `bad-configuration` that names it. */
export function requireVariable(env: Environment, name: string, why: string): string {
  const value = env[name]?.trim();
  if (value === undefined || value === "") throw new AgentError("bad-configuration", why, { remedy: `Set the environment variable ${name}.` });
  return value;
}

/** A base URL from a variable, without trailing slash. Throws `bad-configuration` for what is no http(s) URL. */
export function readBaseUrl(env: Environment, name: string, fallback: string): string {
  const text = env[name]?.trim() || fallback;
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) throw new AgentError("bad-configuration", `${name} is no http or https URL.`);
  if (url.username !== "" || url.password !== "")
    throw new AgentError("bad-configuration", `${name} must not hold a user name or password; set the key's own variable.`);
  return text.replace(/\/+$/u, "");
}
