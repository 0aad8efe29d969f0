/**
 * Runs the protocol's own conformance runner, which npm fetches, against the client of MCP servers at an address: each scenario that it has for clients, of both
 * generations, signing in included. What fails must be what is named below, with its reason, and nothing else.
 *
 *   npm run soak -- mcp-client-conformance
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { answererOf } from "../../src/mcp/asked.ts";
import { readCatalogue } from "../../src/mcp/catalogue.ts";
import { connectHttp } from "../../src/mcp/http/connect.ts";
import { type Callback, type KeptSignIn, signIn, type SignInStore } from "../../src/mcp/http/sign-in.ts";
import type { ServerAsksHandle } from "../../src/tools/contract/run-handles.ts";

const RUNS = [
  { revision: "2025-11-25", runner: "@modelcontextprotocol/conformance@0.1.16" },
  { revision: "2026-07-28", runner: "@modelcontextprotocol/conformance@0.2.0-alpha.12" },
] as const;

/** Scenarios that need what this client has not, and why it has not. */
const NOT_OURS: readonly (readonly [reason: string, scenarios: string])[] = [
  ["no document of this client is published", "auth/basic-cimd"],
  ["a client registers itself; none is registered by a person", "auth/pre-registration auth/client-credentials-jwt auth/client-credentials-basic"],
  ["a run asks nobody to sign in for more", "auth/scope-step-up"],
  ["metadata that name another issuer are refused", "auth/2025-03-26-oauth-metadata-backcompat"],
  ["an extension", "auth/cross-app-access-complete-flow auth/enterprise-managed-authorization auth/dpop auth/dpop-nonce auth/wif-jwt-bearer"],
  ["an extension", "sep-2640-client-no-prefetch sep-2640-client-verify-digest sep-2640-client-verify-size sep-2640-client-verify-frontmatter"],
];

type Wanted = { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> };
type Shape = { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
/** A person who takes what is usual and agrees to the rest, and a model. */
const AGREES: ServerAsksHandle = {
  question: (text, choices) => Promise.resolve({ words: text.includes("(- ") ? "-" : (choices[0] ?? "1") }),
  sample: () => Promise.resolve({ text: "a text", model: "scripted", isWhole: true }),
};
const VALUES: Readonly<Record<string, unknown>> = { number: 1, integer: 1, boolean: true, array: [], object: {} };

if (process.env["MCP_CONFORMANCE_SCENARIO"] === undefined) await compare();
else await beClient(process.argv.at(-1) ?? "");
process.exit();

async function compare(): Promise<void> {
  const reasons = new Map(NOT_OURS.flatMap(([reason, scenarios]) => scenarios.split(" ").map((name) => [name, reason] as const)));
  process.exitCode = 0;
  for (const { revision, runner } of RUNS) {
    const names = [...(await said(runner, ["list", "--client", "--spec-version", revision])).matchAll(/^ +- ([\w/-]+) \[/gmu)].map(([, name = ""]) => name);
    if (names.length === 0) throw new Error(`${runner} lists nothing.`);
    let passed = 0;
    for (const name of names) {
      const command = `"${process.execPath}" "${fileURLToPath(import.meta.url)}"`;
      // A scenario has as long as a busy machine takes to start the client.
      const text = await said(runner, ["client", "--command", command, "--scenario", name, "--spec-version", revision, "--timeout", "300000"]);
      const isPassed = text.includes("OVERALL: PASSED");
      const reason = reasons.get(name);
      if (isPassed) passed += 1;
      else if (reason === undefined) process.exitCode = 1;
      process.stdout.write(`${revision} ${name}: ${isPassed ? "passes" : (reason ?? "FAILS, and is not named")}\n`);
    }
    process.stdout.write(`${revision}: ${String(passed)} of ${String(names.length)} scenarios pass\n`);
  }
}

async function said(runner: string, argv: readonly string[]): Promise<string> {
  const child = spawn("npm", ["exec", "--yes", `--package=${runner}`, "--", "conformance", ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  // What came of a scenario stands on standard error.
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  await new Promise((resolve) => child.on("close", resolve));
  return text;
}

/** Lists the tools, calls each, and signs in where that is wanted. */
async function beClient(url: string): Promise<void> {
  let kept: KeptSignIn = { client: null, tokens: null };
  const store: SignInStore = {
    read: () => kept,
    change: (made) => {
      kept = made(kept);
    },
  };
  const atBrowser = async (where: URL): Promise<Callback> => {
    const back = new URL((await fetch(where, { redirect: "manual" })).headers.get("location") ?? "").searchParams;
    return { code: back.get("code"), state: back.get("state"), iss: back.get("iss"), error: back.get("error") };
  };
  for (let signIns = 0; ; signIns += 1) {
    try {
      await useAll(url, store);
      return;
    } catch (error) {
      if (signIns === 3 || !String(error).includes("wants you to sign in:")) throw error;
    }
    try {
      await signIn({ url, fetched: fetch, store, redirectUrl: "http://127.0.0.1:9/callback", state: "of-this-one", atBrowser });
    } catch (error) {
      // Several scenarios want just that.
      process.stderr.write(`${String(error)}\n`);
      return;
    }
  }
}

async function useAll(url: string, store: SignInStore): Promise<void> {
  const way = { fetched: fetch, store, close: () => Promise.resolve() };
  const connection = await connectHttp({ name: "conformance", url, timeoutMs: 20_000 }, () => Promise.resolve(way), {
    onToolsChanged: () => undefined,
    canAsk: true,
  });
  try {
    // A tool that could not be confirmed is not called.
    const listed = readCatalogue("conformance", await connection.tools()).tools;
    // Some scenarios say which calls they want to see.
    const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { readonly toolCalls?: readonly Wanted[] };
    const toolCalls: readonly Wanted[] = context.toolCalls ?? listed.map(({ name }) => ({ name }));
    for (const { name, arguments: given } of toolCalls) {
      const inputSchema = listed.find((tool) => tool.name === name)?.inputSchema ?? {};
      const { properties = {} } = inputSchema as Shape;
      const made = Object.fromEntries(Object.entries(properties).map(([key, { type = "string" }]) => [key, VALUES[type] ?? "test"]));
      const input: Record<string, unknown> = { ...(given ?? made) };
      // One tool wants to see what became of another's schema.
      if (given === undefined && "schema" in input) input["schema"] = listed.find((other) => other.name !== name)?.inputSchema ?? {};
      const answerer = answererOf({ server: "conformance", tool: name, asks: AGREES, onAsked: () => undefined });
      await connection
        .call(name, input, { signal: new AbortController().signal, timeoutMs: 20_000, onProgress: () => undefined, answerer, inputSchema })
        .catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
  } finally {
    await connection.close();
  }
}
