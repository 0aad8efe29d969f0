/**
 * Runs the protocol's own conformance runner, which npm fetches, against `warder mcp --http`: 2025-11-25 with its release of that time, 2026-07-28 with the one
 * that knows it. What fails must be what is named below, with its reason, and nothing else. Needs an engine.
 *
 *   npm run soak -- mcp-conformance
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const RUNS = [
  { revision: "2025-11-25", runner: "@modelcontextprotocol/conformance@0.1.16", argv: ["--suite", "all"] },
  { revision: "2026-07-28", runner: "@modelcontextprotocol/conformance@0.2.0-alpha.12", argv: ["--requirements", "2026-07-28"] },
] as const;

/** Scenarios that need what this server has not, and why it has not. */
const NOT_OURS: readonly (readonly [reason: string, scenarios: string])[] = [
  ["calls a tool of a test server", "tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content tools-call-with-progress"],
  ["calls a tool of a test server", "tools-call-elicitation elicitation-sep1034-defaults elicitation-sep1330-enums json-schema-2020-12 server-stateless"],
  [
    "calls a tool of a test server",
    "input-required-result-basic-elicitation input-required-result-request-state input-required-result-multiple-input-requests",
  ],
  ["calls a tool of a test server", "input-required-result-multi-round input-required-result-result-type input-required-result-tampered-state"],
  ["calls a tool of a test server", "input-required-result-capability-check http-custom-header-server-validation"],
  ["the server asks for no sampling and no roots", "tools-call-sampling input-required-result-basic-sampling input-required-result-basic-list-roots"],
  ["the server sends no log messages", "logging-set-level tools-call-with-logging"],
  ["the server completes nothing", "completion-complete"],
  [
    "the server has no resources",
    "resources-list resources-read-text resources-read-binary resources-templates-read resources-subscribe resources-unsubscribe",
  ],
  ["the server has no prompts", "prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image"],
  ["the server has no prompts", "input-required-result-non-tool-request"],
  ["two of its lists are of resources and prompts", "caching"],
  ["a stream that broke is not resumed", "server-sse-polling"],
  ["the server has no tasks, an extension", "tasks-lifecycle tasks-capability-negotiation tasks-wire-fields tasks-request-state-removal tasks-mrtr-input"],
  ["the server has no tasks, an extension", "tasks-request-headers tasks-dispatch-and-envelope tasks-required-task-error tasks-mrtr-composition"],
];

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "warder-conformance-"));
const reasons = new Map(NOT_OURS.flatMap(([reason, scenarios]) => scenarios.split(" ").map((scenario) => [scenario, reason] as const)));
mkdirSync(join(folder, "workspace"));

const env = { ...process.env, WARDER_HOME: join(folder, "state") };
const warder = spawn(join(root, "bin", "warder"), ["mcp", "--http", "0", "--workspace", join(folder, "workspace")], {
  env,
  stdio: ["ignore", "ignore", "pipe"],
});
try {
  const url = new URL(await said(/serving at (\S+)/u));
  const token = readFileSync(join(folder, "state", "mcp-token"), "utf8").trim();
  const door = await tokenDoor(url, token);
  const unexpected: string[] = [];
  for (const { revision, runner, argv } of RUNS) unexpected.push(...outcome(revision, await scenarios(runner, ["server", "--url", door, ...argv])));
  for (const line of unexpected) process.stderr.write(`${line}\n`);
  process.exitCode = unexpected.length === 0 ? 0 : 1;
} finally {
  const over = new Promise((resolve) => warder.on("exit", resolve));
  if (warder.kill("SIGTERM")) await over;
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function said(pattern: RegExp): Promise<string> {
  let text = "";
  return await new Promise((resolve, reject) => {
    warder.stderr.on("data", (part: Buffer) => {
      text += part.toString();
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    warder.on("exit", () => {
      reject(new Error(`it did not serve:\n${text}`));
    });
  });
}

/** The runner sends no token: this adds it, and leaves every name that is not this door's as it is. */
async function tokenDoor(url: URL, token: string): Promise<string> {
  const server = createServer((asked, answer) => {
    const own = `:${(server.address() as AddressInfo).port}`;
    const headers: Record<string, string | string[] | undefined> = { ...asked.headers, authorization: `Bearer ${token}` };
    for (const name of ["host", "origin"] as const) {
      const value = asked.headers[name];
      if (value !== undefined) headers[name] = value.replace(own, `:${url.port}`);
    }
    const passed = request({ host: url.hostname, port: url.port, method: asked.method, path: asked.url, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(answer).on("error", () => answer.destroy());
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Whether each scenario passed. */
async function scenarios(runner: string, argv: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const child = spawn("npm", ["exec", "--yes", `--package=${runner}`, "--", "conformance", ...argv], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  await new Promise((resolve) => child.on("close", resolve));
  const summary = text.slice(text.indexOf("=== SUMMARY ==="));
  return new Map([...summary.matchAll(/^(✓|✗) ([\w-]+): \d+ passed/gmu)].map(([, sign, name = ""]) => [name, sign === "✓"]));
}

/** Shows it, and gives what is not as it should be. */
function outcome(revision: string, results: ReadonlyMap<string, boolean>): string[] {
  const passed = [...results].filter(([, isPassed]) => isPassed).map(([name]) => name);
  process.stdout.write(`${revision}: ${passed.length} of ${results.size} scenarios pass: ${passed.join(", ")}\n`);
  for (const reason of new Set(reasons.values())) {
    const names = [...results].filter(([name, isPassed]) => !isPassed && reasons.get(name) === reason).map(([name]) => name);
    if (names.length > 0) process.stdout.write(`  ${reason}: ${names.join(", ")}\n`);
  }
  if (results.size === 0) return [`${revision}: the runner ran nothing`];
  return [...results].flatMap(([name, isPassed]) => (isPassed || reasons.has(name) ? [] : [`${revision}: ${name} fails, and is not named`]));
}
