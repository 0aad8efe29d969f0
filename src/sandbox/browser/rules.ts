/** The rules that the driver holds a page to. They protect from a page's scripts; whoever took Chromium over is held by the sandbox and the egress proxy. */

/** Scheme, host and port of a page; `null`, as a text, for what has none. */
export const siteOf = (url: string): string => URL.parse(url)?.origin ?? "null";

/**
 * Whether a page may make a request: to read, always (the egress proxy has the last word); to send, only where something was allowed to be sent to that
 * very site (`sending`) while one of its pages is open. So what was only opened sends nothing, whatever its scripts want.
 */
export function mayRequest({ method, url }: { readonly method: string; readonly url: string }, pageUrl: string, sending: ReadonlySet<string>): boolean {
  if (method === "GET" || method === "HEAD") return true;
  const site = siteOf(url);
  return site !== "null" && sending.has(site) && siteOf(pageUrl) === site;
}

/** Whether a deed that was ruled on for a page of one site may be done with the page that is open. */
export function isOfSite(pageUrl: string, wantedUrl: string): boolean {
  const site = siteOf(wantedUrl);
  return site !== "null" && siteOf(pageUrl) === site;
}
