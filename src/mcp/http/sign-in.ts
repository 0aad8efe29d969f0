import { auth, extractWWWAuthenticateParams, type OAuthClientProvider, type OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { Fetch } from "./bounded.ts";

type Client = NonNullable<Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>>;
type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>;

/** What a person has of one server: as whom Warder is known there, and what it was given. */
export type KeptSignIn = { readonly client: Client | null; readonly tokens: Tokens | null };

/** Where it is kept. `change` does it while nobody else does. */
export type SignInStore = { readonly read: () => KeptSignIn; readonly change: (change: (kept: KeptSignIn) => KeptSignIn) => void };

/** What came back to the address that a person's browser was sent to. */
export type Callback = Readonly<Record<"code" | "state" | "iss" | "error", string | null>>;

export type SignInParts = {
  readonly url: string;
  readonly fetched: Fetch;
  readonly store: SignInStore;
  /** On this machine, where the browser comes back to. */
  readonly redirectUrl: string;
  /** A secret of this sign-in alone. */
  readonly state: string;
  /** Shows a person where to go. Resolves when their browser is back. */
  readonly atBrowser: (url: URL) => Promise<Callback>;
};

/** Who signs people in to a server, by its own words. */
export type SignedIn = { readonly issuer: string };

/**
 * Has a person sign in to a server: OAuth 2.1 with PKCE, by the server's own metadata. What comes back counts where it has this sign-in's state and comes from
 * the authorization server that was asked (RFC 9207). Rejects, with nothing kept, where anything is otherwise; null: the server wants nobody to sign in.
 */
export async function signIn({ url, fetched, store, redirectUrl, state, atBrowser }: SignInParts): Promise<SignedIn | null> {
  const refused = await fetched(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: PROBE,
  });
  await refused.body?.cancel();
  if (refused.status !== 401) return null;
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
  const options = {
    serverUrl: url,
    fetchFn: fetched,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
  let verifier = "";
  let at: URL | null = null;
  let found: OAuthDiscoveryState | null = null;
  // Nothing of an earlier sign-in goes to whoever is asked now.
  let client: Client | null = null;
  let tokens: Tokens | null = null;
  const clientMetadata = {
    client_name: "Warder",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    // OpenID Connect Dynamic Client Registration 1.0, 2: without it a client is one of the web, which may not come back to this machine.
    application_type: "native",
  };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata,
    state: () => state,
    clientInformation: () => client ?? undefined,
    saveClientInformation: (given) => {
      client = given;
    },
    tokens: () => undefined,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization: (where) => {
      at = where;
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    discoveryState: () => found ?? undefined,
    saveDiscoveryState: (discovered) => {
      const { authorizationServerMetadata: metadata, authorizationServerUrl } = discovered;
      if (metadata !== undefined && withoutSlash(metadata.issuer) !== withoutSlash(authorizationServerUrl))
        throw new Error(`the authorization server says that it is ${JSON.stringify(metadata.issuer)}, and not ${authorizationServerUrl}`);
      found = discovered;
    },
  };
  await auth(provider, options);
  const where = at as URL | null;
  if (where === null) throw new Error("there is no address at which to sign in");
  const isHere = where.hostname === "127.0.0.1" || where.hostname === "localhost";
  if (where.protocol !== "https:" && !(where.protocol === "http:" && isHere))
    throw new Error("the address at which to sign in is not encrypted, or of no website");
  const { code, state: returned, iss, error } = await atBrowser(where);
  if (returned !== state) throw new Error("what came back belongs to another sign-in");
  const metadata = (found as OAuthDiscoveryState | null)?.authorizationServerMetadata;
  const isPromised =
    metadata !== undefined &&
    "authorization_response_iss_parameter_supported" in metadata &&
    metadata["authorization_response_iss_parameter_supported"] === true;
  if (iss === null ? isPromised : iss !== metadata?.issuer) throw new Error("what came back is not from the authorization server that was asked");
  if (error !== null || code === null) throw new Error(`you were not signed in: ${error ?? "no code came back"}`);
  await auth(provider, { ...options, authorizationCode: code });
  const kept = { client: client as Client | null, tokens: tokens as Tokens | null };
  if (kept.tokens === null) throw new Error("no token was given");
  store.change(() => kept);
  return { issuer: metadata?.issuer ?? new URL(url).origin };
}

const PROBE = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" });
const withoutSlash = (address: string): string => address.replace(/\/$/u, "");
