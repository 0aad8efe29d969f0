import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { Fetch } from "./bounded.ts";
import type { KeptSignIn, SignInStore } from "./sign-in.ts";

/** A server wants its person to sign in. */
class SignInNeeded extends Error {
  constructor(server: string) {
    super(`it wants you to sign in: warder mcp login ${server}`);
  }
}

const LOOKS = 10;
const LOOK_MS = 100;

type Signed = { readonly server: string; readonly url: string; readonly store: SignInStore };

/**
 * Adds to requests what a person signed in for, and renews it where the server does not take it any more. Nobody is asked here: where a person has to, the
 * request fails and says so. What an authorization server answers is in no error, because it may hold what must not be logged.
 */
export function authorizedFetch(fetched: Fetch, { server, url, store }: Signed): Fetch {
  let renewing: Promise<void> | null = null;
  const renew = async (used: string | undefined, refused: Response): Promise<void> => {
    const { tokens } = store.read();
    // Another run of this person was quicker.
    if (tokens !== null && tokens.access_token !== used) return;
    if (tokens?.refresh_token === undefined) throw new SignInNeeded(server);
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
    let fault = "a fault";
    try {
      await auth(renewingProvider(server, store), {
        serverUrl: url,
        fetchFn: fetched,
        ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
        ...(scope === undefined ? {} : { scope }),
      });
      return;
    } catch (error) {
      if (error instanceof SignInNeeded) throw error;
      if (error instanceof Error) fault = error.name;
    }
    // A refresh token counts once: who lost the race has what the winner keeps.
    for (let look = 0; look < LOOKS; look += 1) {
      if (store.read().tokens?.access_token !== used) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    throw new Error(`it could not be signed in to again (${fault}): warder mcp login ${server}`);
  };
  const send: Fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    const { tokens } = store.read();
    if (tokens !== null && new URL(input).origin === new URL(url).origin) headers.set("authorization", `Bearer ${tokens.access_token}`);
    return fetched(input, { ...init, headers });
  };
  return async (input, init) => {
    const used = store.read().tokens?.access_token;
    const answer = await send(input, init);
    const isShort = answer.status === 403 && extractWWWAuthenticateParams(answer).error === "insufficient_scope";
    if (answer.status !== 401 && !isShort) return answer;
    await answer.body?.cancel();
    if (isShort) throw new Error(`it wants you to sign in for more than you did: warder mcp login ${server}`);
    renewing ??= renew(used, answer).finally(() => {
      renewing = null;
    });
    await renewing;
    return await send(input, init);
  };
}

/** Renews, and never begins to sign in. */
function renewingProvider(server: string, store: SignInStore): OAuthClientProvider {
  const needed = (): never => {
    throw new SignInNeeded(server);
  };
  return {
    redirectUrl: "http://127.0.0.1/",
    clientMetadata: { redirect_uris: ["http://127.0.0.1/"] },
    clientInformation: () => store.read().client ?? needed(),
    saveClientInformation: (client) => {
      store.change((kept): KeptSignIn => ({ ...kept, client }));
    },
    tokens: () => store.read().tokens ?? needed(),
    saveTokens: (tokens) => {
      store.change((kept): KeptSignIn => ({ ...kept, tokens: { ...tokens, refresh_token: tokens.refresh_token ?? kept.tokens?.refresh_token } }));
    },
    redirectToAuthorization: needed,
    saveCodeVerifier: needed,
    codeVerifier: needed,
  };
}
