import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunSummary } from "../../src/app/run/summary.ts";
import { anthropicMessages } from "../contract/wires/anthropic.ts";
import { chatCompletions } from "../contract/wires/openai-chat.ts";
import type { WireAnswer } from "../contract/wires/wire.ts";
import { describeWithDocker } from "../support/docker.ts";
import { startHttpServer } from "../support/http-server.ts";
import { place } from "../support/test-place.ts";
import { warder, type Place } from "../support/warder-cli.ts";

const SLOW = { timeout: 600_000 };
const KEY = "sk-printed-by-a-program-1234567890";
const usage = { input: 1_000, cached: 0, output: 100 };
const look: WireAnswer = { pieces: [{ kind: "call", id: "call_1", name: "shell", inputText: '{"command":"echo made > made.txt"}' }], ending: "calls", usage };
const done: WireAnswer = { pieces: [{ kind: "text", text: "It is made." }], ending: "stop", usage };

/** Anthropic's server answers once and is overloaded then; a server beside it answers always. */
async function twoServers() {
  const keys: unknown[] = [];
  let requests = 0;
  const first = await startHttpServer((request, response) => {
    request.resume();
    keys.push(request.headers["x-api-key"]);
    requests += 1;
    if (requests === 1) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(anthropicMessages.frames(look).join(""));
    }
    response.writeHead(529, { "content-type": "application/json", "retry-after": "3600" });
    return response.end(JSON.stringify(anthropicMessages.failure(529, `Overloaded; your key is ${KEY}`)));
  });
  const second = await startHttpServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chatCompletions.frames(done).join(""));
  });
  for (const server of [first, second]) onTestFinished(() => server[Symbol.asyncDispose]());
  return { keys, environment: { ANTHROPIC_BASE_URL: `${first.url}/v1`, WARDER_BASE_URL: `${second.url}/v1`, ANTHROPIC_API_KEY: "" } };
}

function configure(here: Place): void {
  const program = join(here.root, "print-key");
  writeFileSync(program, `#!/bin/sh\necho ${KEY}\n`);
  chmodSync(program, 0o700);
  mkdirSync(here.state, { mode: 0o700, recursive: true });
  const settings = `version: 1\nmodels: { main: ["anthropic:claude-sonnet-5", "openai-compatible:qwen"] }\nkeys: { anthropic: { command: [${program}] } }\n`;
  writeFileSync(join(here.state, "settings.yaml"), settings, { mode: 0o600 });
  writeFileSync(join(here.state, "prices.yaml"), '"openai-compatible:qwen": { input: 10, output: 20 }\n', { mode: 0o600 });
}

describeWithDocker("a run with a model behind its model", () => {
  test(
    "goes on with it; the switch is told in the events, the log and the summary, each answer costs what its model costs, and the key is nowhere",
    SLOW,
    async () => {
      const here = place();
      configure(here);
      const { keys, environment } = await twoServers();
      const end = await warder(here, ["run", "--unattended", "--json", `Make made.txt; do not say ${KEY}.`], { environment });
      expect(end.exitCode, end.stderr).toBe(0);
      expect(keys.slice(0, 2)).toEqual([KEY, KEY]);
      const events = end.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { kind: string; from?: string; to?: string; reason?: string; summary?: RunSummary });
      const change = { from: "anthropic:claude-sonnet-5", to: "openai-compatible:qwen" };
      expect(events.filter(({ kind }) => kind === "model-switch")).toMatchObject([{ ...change, reason: expect.stringContaining("529") as string }]);
      const summary = events.at(-1)?.summary;
      expect(summary?.switches).toMatchObject([change]);
      // 1,000 × 2.5 + 100 × 10 of the one, 1,000 × 10 + 100 × 20 of the other, in millionths.
      expect(summary?.models).toEqual([
        { model: change.from, turns: 1, tokens: 1_100, usd: 0.0035 },
        { model: change.to, turns: 1, tokens: 1_100, usd: 0.012 },
      ]);
      expect(summary?.cost.usd).toBeCloseTo(0.0155, 9);
      const log = await warder(here, ["audit", "tail", "--kind", "model-switched", "--json"]);
      expect(log.stdout).toContain('"to":"openai-compatible:qwen"');
      expect(end.stdout).not.toContain(KEY);
      const files = readdirSync(here.state, { recursive: true, encoding: "utf8" }).map((name) => join(here.state, name));
      // The disk of a workspace has holes, and is larger than a process reads.
      const holding = files.filter((path) => statSync(path).isFile() && statSync(path).size < 64 * 1024 ** 2 && readFileSync(path).includes(KEY));
      expect(files.length).toBeGreaterThan(3);
      expect(holding).toEqual([]);
    },
  );
});
