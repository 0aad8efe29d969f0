import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { appendAudit } from "../../audit/log/log.ts";
import { AgentError } from "../../base/errors.ts";
import { NOT_SIGNED_IN, writeSignIn } from "../../config/state/mcp-sign-ins.ts";
import type { Callback } from "../../mcp/http/sign-in.ts";
import { isRemote, type McpServer } from "../../mcp/server.ts";
import type { Records } from "../records/records.ts";
import { reach } from "./reach.ts";
import { signInStore } from "./sign-ins.ts";
import { namedServers } from "./trust.ts";

const { createServer } = process.getBuiltinModule("node:http");

/** How long a person may take at their browser. */
const AT_BROWSER_MS = 600_000;

/**
 * Has a person sign in to a server: `show` is given the address for their browser, which comes back to a port of this machine. Gives who signed them in; null:
 * the server wants nobody to. Throws `usage` for a name that has no address, `sandbox-unavailable` where it does not come to that.
 */
export async function logIn(
  records: Records,
  name: string,
  { show, by }: { readonly show: (url: string) => void; readonly by: string },
): Promise<string | null> {
  const server = remoteNamed(records, name);
  const { signIn } = await import("../../mcp/http/sign-in.ts");
  const state = randomBytes(32).toString("base64url");
  const desk = await openDesk(state);
  const way = await reach(server, { records, runId: null });
  try {
    const atBrowser = (url: URL): Promise<Callback> => {
      show(url.href);
      return desk.returned;
    };
    const signed = await signIn({ url: server.url, fetched: way.fetched, store: signInStore(records, server), redirectUrl: desk.url, state, atBrowser });
    if (signed !== null) appendAudit(records.audit, { run: null, payload: { kind: "mcp-server-signed-in", server: name, issuer: signed.issuer, by } });
    return signed?.issuer ?? null;
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError("sandbox-unavailable", `Nobody was signed in to the MCP server ${name}: ${error instanceof Error ? error.message : "it failed"}`, {
      cause: error,
    });
  } finally {
    desk.close();
    await way.close();
  }
}

/** Forgets what a person signed in for. */
export function logOut({ store }: Records, name: string): void {
  store.exclusively(() => {
    writeSignIn(store.paths.directory, { server: name, url: "" }, NOT_SIGNED_IN);
  });
}

function remoteNamed(records: Records, name: string): McpServer & { readonly url: string } {
  const server = namedServers(records).find((each) => each.server.name === name)?.server;
  if (server !== undefined && isRemote(server)) return server;
  throw new AgentError("usage", `The settings name no MCP server ${JSON.stringify(name)} with a url.`, {
    remedy: "See docs/guides/mcp-servers.md, and: warder mcp servers",
  });
}

type Desk = { readonly url: string; readonly returned: Promise<Callback>; close(): void };

/** Where a browser comes back to. Whoever comes without this sign-in's state is not heard. */
async function openDesk(state: string): Promise<Desk> {
  const returned = Promise.withResolvers<Callback>();
  // It may be nobody who waits.
  returned.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const back = URL.parse(request.url ?? "/", "http://127.0.0.1");
    const isOurs = back?.pathname === "/callback" && back.searchParams.get("state") === state;
    const text = isOurs ? "Warder has what it needs. You may close this page." : "There is nothing here.";
    response.writeHead(isOurs ? 200 : 404, { "content-type": "text/plain; charset=utf-8", "referrer-policy": "no-referrer", connection: "close" }).end(text);
    if (isOurs) returned.resolve({ code: back.searchParams.get("code"), state, iss: back.searchParams.get("iss"), error: back.searchParams.get("error") });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const late = setTimeout(() => {
    returned.reject(new Error("nobody came back from the browser within ten minutes"));
  }, AT_BROWSER_MS);
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/callback`,
    returned: returned.promise,
    close: () => {
      clearTimeout(late);
      server.close();
      server.closeAllConnections();
    },
  };
}
