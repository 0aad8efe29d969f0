import { readFileSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { logIn, logOut } from "../../../src/app/mcp/login.ts";
import { signInStore } from "../../../src/app/mcp/sign-ins.ts";
import { readAudit } from "../../../src/audit/log/read.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { connectHttp } from "../../../src/mcp/http/connect.ts";
import { type Callback, type KeptSignIn, signIn } from "../../../src/mcp/http/sign-in.ts";
import { NOTES } from "../../mcp/server-process.ts";
import { oauthServer, type OAuthFaults } from "../../support/mcp/oauth-server.ts";
import { once } from "../../support/until.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

test("a person signs in with PKCE at their browser, what was given is renewed and stands in one file of theirs and no record", async () => {
  const there = await oauthServer();
  const store = temporaryStore();
  const clocked = { store, clock: systemClock };
  const records = { store, audit: clocked, approvals: clocked };
  writeFileSync(join(store.paths.directory, "settings.yaml"), `version: 1\nmcp: { notes: { url: "${there.url}" } }\n`, { mode: 0o600 });
  const file = join(store.paths.directory, "mcp-sign-ins.json");
  const kept = signInStore(records, { ...NOTES, url: there.url });
  const use = async (): Promise<string> => {
    const server = { name: "notes", url: there.url, timeoutMs: 300_000 };
    const connection = await connectHttp(server, () => Promise.resolve({ fetched: fetch, store: kept, close: () => Promise.resolve() }), {
      onToolsChanged: () => undefined,
      canAsk: false,
    });
    onTestFinished(() => connection.close());
    const { content } = await connection.call("echo", {}, { signal: new AbortController().signal, timeoutMs: 300_000, onProgress: () => undefined });
    return JSON.stringify(content);
  };
  await expect(use()).rejects.toThrow("it wants you to sign in: warder mcp login notes");

  // Whoever guesses the port and not the state is not heard; a person may say no.
  let status = 0;
  let statusOfNoAddress = 0;
  const refuse = async (url: URL): Promise<void> => {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.search = "?code=evil&state=guessed";
    ({ status } = await fetch(back));
    statusOfNoAddress = await statusOf(back, "//");
    back.search = `?error=access_denied&state=${url.searchParams.get("state") ?? ""}&iss=${encodeURIComponent(new URL(there.url).origin)}`;
    await fetch(back);
  };
  await expect(logIn(records, "notes", { show: (url) => void refuse(new URL(url)), by: "ann" })).rejects.toThrow("you were not signed in: access_denied");
  expect([status, statusOfNoAddress]).toEqual([404, 404]);
  expect(() => readFileSync(file)).toThrow(/ENOENT/u);

  expect(await logIn(records, "notes", { show: (url) => void fetch(url), by: "ann" })).toBe(new URL(there.url).origin);
  const [asked, exchanged] = there.asked;
  expect(asked).toMatchObject({ client_id: "client-1", code_challenge_method: "S256", scope: "notes", resource: there.url });
  expect(exchanged?.["code_verifier"]).toMatch(/^[\w~.-]{43,}$/u);
  expect(await use()).toContain("signed in");
  there.expire();
  expect(await use()).toContain("signed in");
  expect(there.asked.at(-1)).toMatchObject({ grant_type: "refresh_token", client_id: "client-1" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain(there.accepted());

  const log = JSON.stringify([...readAudit(records.audit, {})]);
  expect(log).toContain("mcp-server-signed-in");
  for (const secret of there.given) expect(log).not.toContain(secret);

  // What cannot be renewed asks for the person, and says nothing of what was sent.
  there.expire();
  kept.change(({ client, tokens }) => ({ client, tokens: tokens === null ? null : { ...tokens, refresh_token: "refresh-99" } }));
  const refused = await use().catch(String);
  expect(refused).toMatch(/could not be signed in to again \(InvalidGrantError\): warder mcp login notes/u);
  expect(refused).not.toContain("refresh-99");
  logOut(records, "notes");
  expect(readFileSync(file, "utf8")).not.toContain("secretvalue");
  await expect(use()).rejects.toThrow("it wants you to sign in");
});

/** What is answered to a path that no client of the web would send. */
async function statusOf({ hostname, port }: URL, path: string): Promise<number> {
  const asked = request({ hostname, port, path });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

const REDIRECT = "http://127.0.0.1:9/callback";

/** Signs in at a server with faults, with a browser that tells where it is sent back to. */
async function tried(faults: OAuthFaults, change: Partial<Callback> = {}): Promise<KeptSignIn | string> {
  const { url } = await oauthServer(faults);
  let kept: KeptSignIn = { client: null, tokens: null };
  const store = { read: () => kept, change: (made: (before: KeptSignIn) => KeptSignIn) => void (kept = made(kept)) };
  const atBrowser = async (where: URL): Promise<Callback> => {
    const back = new URL((await fetch(where, { redirect: "manual" })).headers.get("location") ?? "").searchParams;
    return { code: back.get("code"), state: back.get("state"), iss: back.get("iss"), error: back.get("error"), ...change };
  };
  return await signIn({ url, fetched: fetch, store, redirectUrl: REDIRECT, state: "a-state", atBrowser }).then(() => kept, String);
}

test("what comes back from elsewhere, for another sign-in or with another code signs nobody in", async () => {
  expect(await tried({})).toMatchObject({ client: { client_id: "client-1" }, tokens: { token_type: "Bearer" } });
  for (const iss of ["https://evil.example.org", null]) expect(await tried({ iss })).toMatch(/not from the authorization server that was asked/u);
  expect(await tried({ issuer: "https://evil.example.org" })).toMatch(/says that it is "https:\/\/evil\.example\.org"/u);
  expect(await tried({}, { state: "another" })).toMatch(/belongs to another sign-in/u);
  expect(await tried({}, { code: "stolen" })).toMatch(/InvalidGrantError|not stolen/u);
});

test("an address at which to sign in is a website, and encrypted unless it is of this machine", async () => {
  for (const signInAt of ["file://localhost/etc/passwd", "vscode://localhost/open", "http://example.org/authorize"])
    expect(await tried({ signInAt })).toMatch(/not encrypted, or of no website/u);
});

test("what another run of the person renewed meanwhile is used, and not renewed again", async () => {
  const there = await oauthServer();
  let kept: KeptSignIn = {
    client: { client_id: "client-1" },
    tokens: { access_token: "old", token_type: "Bearer", refresh_token: "old", issuer: new URL(there.url).origin },
  };
  let asked = 0;
  const sent: (string | null)[] = [];
  const answers = [new Response(null, { status: 401 }), new Response(null, { status: 405 })];
  const fetched = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    asked += 1;
    // The first refusal is seen when somebody else has new words already.
    if (asked === 1)
      kept = { client: kept.client, tokens: { access_token: "new", token_type: "Bearer", refresh_token: "new", issuer: new URL(there.url).origin } };
    if (asked > 2) return await fetch(url, init);
    sent.push(new Headers(init?.headers).get("authorization"));
    return answers[asked - 1] ?? Response.error();
  };
  const store = { read: () => kept, change: (made: (before: KeptSignIn) => KeptSignIn) => void (kept = made(kept)) };
  const connecting = connectHttp(
    { name: "notes", url: there.url, timeoutMs: 300_000 },
    () => Promise.resolve({ fetched, store, close: () => Promise.resolve() }),
    { onToolsChanged: () => undefined, canAsk: false },
  );
  await expect(connecting).rejects.toThrow(/warder mcp login notes/u);
  expect(sent).toEqual(["Bearer old", "Bearer new"]);
  expect(there.asked.filter((form) => form["refresh_token"] === "old")).toEqual([]);
});
