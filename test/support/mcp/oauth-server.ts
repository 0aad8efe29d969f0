import { createHash } from "node:crypto";
import { bodyOf, serve } from "./http-server.ts";

export type OAuthServer = {
  /** Of the MCP server that wants its people signed in. */
  readonly url: string;
  /** Every token and code that was given, and what came with each request for one. */
  readonly given: string[];
  readonly asked: Record<string, string>[];
  /** The access token that is taken now. */
  accepted(): string;
  /** Takes back what was given, as when it ran out. */
  expire(): void;
};

export type OAuthFaults = { readonly iss?: string | null; readonly issuer?: string; readonly signInAt?: string; readonly isFinal?: boolean };

/** An MCP server and the authorization server beside it: registration, PKCE with S256, refresh tokens that count once. `faults`: what it does otherwise. */
export async function oauthServer(faults: OAuthFaults = {}): Promise<OAuthServer> {
  const given: string[] = [];
  const asked: Record<string, string>[] = [];
  const challenges = new Map<string, { readonly challenge: string; readonly redirect: string }>();
  let access = "";
  let refresh = "";
  let last = 0;
  const made = (kind: string): string => {
    last += 1;
    const word = `${kind}-${String(last)}-secretvalue`;
    given.push(word);
    return word;
  };
  const url = await serve((request, response) => {
    const json = (status: number, value: unknown, headers = {}): void =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
    const origin = `http://${request.headers.host ?? ""}`;
    const { pathname, searchParams } = new URL(request.url ?? "", origin);
    void bodyOf(request).then((body) => {
      if (pathname === "/mcp") {
        if (access === "" || request.headers.authorization !== `Bearer ${access}`)
          return void response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${origin}/resource", scope="notes"` }).end();
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        const results: Record<string, object> = {
          "server/discover": { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
          "tools/list": { tools: [{ name: "echo", description: "Says it.", inputSchema: { type: "object" } }] },
          "tools/call": { content: [{ type: "text", text: "signed in" }] },
        };
        return json(200, { jsonrpc: "2.0", id, result: results[method] ?? {} });
      }
      if (pathname === "/resource") return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      if (pathname === "/.well-known/oauth-authorization-server")
        return json(200, {
          issuer: faults.issuer ?? origin,
          authorization_endpoint: faults.signInAt ?? `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
        });
      if (pathname === "/register") return json(201, { ...(JSON.parse(body) as object), client_id: "client-1" });
      if (pathname === "/authorize") {
        const { redirect_uri: redirect = "", state = "", code_challenge: challenge = "" } = Object.fromEntries(searchParams);
        asked.push(Object.fromEntries(searchParams));
        const code = made("code");
        challenges.set(code, { challenge, redirect });
        const back = new URL(redirect);
        const iss = faults.iss === undefined ? origin : faults.iss;
        for (const [name, value] of Object.entries({ code, state, iss })) if (value !== null) back.searchParams.set(name, value);
        return void response.writeHead(302, { location: back.href }).end();
      }
      if (pathname !== "/token") return void response.writeHead(404).end();
      const form = Object.fromEntries(new URLSearchParams(body));
      asked.push(form);
      const known = challenges.get(form["code"] ?? "");
      const isProven =
        known !== undefined &&
        known.redirect === form["redirect_uri"] &&
        createHash("sha256")
          .update(form["code_verifier"] ?? "")
          .digest("base64url") === known.challenge;
      const isRefresh = form["grant_type"] === "refresh_token" && refresh !== "" && form["refresh_token"] === refresh;
      challenges.delete(form["code"] ?? "");
      if (!isProven && !isRefresh) return json(400, { error: "invalid_grant", error_description: `not ${form["refresh_token"] ?? form["code"] ?? ""}` });
      [access, refresh] = [made("access"), faults.isFinal === true ? "" : made("refresh")];
      json(200, { access_token: access, token_type: "Bearer", expires_in: 3600, ...(refresh === "" ? {} : { refresh_token: refresh }) });
    });
  });
  return { url, given, asked, accepted: () => access, expire: () => (access = "") };
}
