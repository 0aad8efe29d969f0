import { quoteCode } from "../../shell/render.ts";
import { type BrowserDeed, type BrowserOrder, sendsSomething } from "../../sandbox/browser/order.ts";
import type { WebRequest } from "../../sandbox/egress/client/web-request.ts";

/**
 * The command that makes the same request in a shell. A request is judged as this command, word for word, so that a policy has one answer for both. Whatever
 * is no GET or HEAD sends something, if only nothing.
 */
export function requestCommand({ method, url, headers, body, redirects }: Pick<WebRequest, "method" | "url" | "headers" | "body" | "redirects">): string {
  const reads = method === "GET" || method === "HEAD";
  const data = body ?? (reads ? null : "");
  return [
    "curl -sSg",
    ...(redirects > 0 ? [`-L --max-redirs ${redirects}`] : []),
    ...(method === "HEAD" ? ["-I"] : method === "GET" && data === null ? [] : [`-X ${method}`]),
    ...headers.map(({ name, value }) => `-H ${quoteCode(`${name}: ${value}`)}`),
    ...(data === null ? [] : [`--data-raw ${quoteCode(data)}`]),
    `-- ${quoteCode(url)}`,
  ].join(" ");
}

/** As many as a browser follows. */
const MAX_REDIRECTS = 20;

/** The same of something done with the browser: it reads its page, or sends to it what a person or a click would. */
export function browserCommand({ url, deed }: Pick<BrowserOrder, "url" | "deed">): string {
  const isSent = sendsSomething(deed);
  return requestCommand({ method: isSent ? "POST" : "GET", url, headers: [], body: isSent ? sentBy(deed) : null, redirects: isSent ? 0 : MAX_REDIRECTS });
}

function sentBy(deed: BrowserDeed): string {
  if (deed.kind === "type") return deed.text;
  if (deed.kind === "select") return deed.values.join("\n");
  return deed.kind === "press" ? deed.key : "";
}

/** A URL as a request names it; or what is wrong with it, for the model. */
export function readUrl(text: string): { readonly url: string } | { readonly problem: string } {
  const url = URL.parse(text);
  if (url === null) return { problem: "url is no absolute URL, such as https://example.org/page" };
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { problem: `url has the scheme ${url.protocol.slice(0, 20)} of http: and https:; for a file use read_file` };
  if (url.username !== "" || url.password !== "")
    return { problem: "url has a user name or password; a policy's credentials are added by the egress proxy, so leave them out" };
  url.hash = "";
  return { url: url.href };
}
