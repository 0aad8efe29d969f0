import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunSummary } from "../../src/app/run/summary.ts";
import { anthropicMessages } from "../contract/wires/anthropic.ts";
import { chatCompletions } from "../contract/wires/openai-chat.ts";
import type { WireAnswer } from "../contract/wires/wire.ts";
import { describeWithDocker } from "../support/docker.ts";
import { readBody, startHttpServer } from "../support/http-server.ts";
import { place } from "../support/test-place.ts";
import { warder, writePolicy, type Place } from "../support/warder-cli.ts";

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
  test("goes on with it; the switch is told in the events, the log and the summary, each answer costs what its model costs, and the key is nowhere", async () => {
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
  });
});

describeWithDocker("a run with a small model", () => {
  test("has it sum up a conversation before the window of its model is full, at the small one's price", async () => {
    const here = place();
    mkdirSync(here.state, { mode: 0o700, recursive: true });
    const models = 'main: ["openai-compatible:qwen", "openai-compatible:large"], small: "anthropic:claude-haiku-4-5"';
    writeFileSync(join(here.state, "settings.yaml"), `version: 1\nmodels: { ${models} }\n`, { mode: 0o600 });
    const prices = ["qwen: 1200", "large: 1000000"].map((each) => `"openai-compatible:${each.replace(": ", '": { input: 10, output: 20, context: ')} }\n`);
    writeFileSync(join(here.state, "prices.yaml"), prices.join(""), { mode: 0o600 });
    const asked: string[] = [];
    const main = await startHttpServer((request, response) => {
      void readBody(request).then((body) => {
        asked.push(body);
        const turn = asked.length;
        const call = { kind: "call" as const, id: `call_${turn}`, name: "shell", inputText: JSON.stringify({ command: `echo ${turn}` }) };
        response.writeHead(200, { "content-type": "text/event-stream" });
        const read = { ...usage, input: 1_000 * turn };
        response.end(chatCompletions.frames(turn < 14 ? { ...look, pieces: [call], usage: read } : { ...done, usage: read }).join(""));
      });
    });
    const small = await startHttpServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(anthropicMessages.frames({ ...done, pieces: [{ kind: "text", text: "WHAT-WAS-FOUND-OUT" }] }).join(""));
    });
    for (const server of [main, small]) onTestFinished(() => server[Symbol.asyncDispose]());
    const environment = { WARDER_BASE_URL: `${main.url}/v1`, ANTHROPIC_BASE_URL: `${small.url}/v1`, ANTHROPIC_API_KEY: "sk-test-1234567890" };
    const policy = writePolicy(here, "counted", "version: 1\nname: counted\nextends: unattended\nlimits: { cost: { max-usd: 50, per: 1d } }\n");
    const end = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "Count."], { environment });
    expect(end.exitCode, end.stderr).toBe(0);
    expect((await warder(here, ["audit", "tail", "--kind", "budget-moved", "--json"])).stdout).toContain('"cost":1750');
    expect(end.stdout.includes('"kind":"history-compacted"')).toBe(true);
    expect(asked.at(-1)?.includes("WHAT-WAS-FOUND-OUT")).toBe(true);
    const summary = JSON.parse(end.stdout.trimEnd().split("\n").at(-1) ?? "") as { readonly summary: RunSummary };
    const [first, second] = summary.summary.models;
    expect(first).toMatchObject({ model: "openai-compatible:qwen", turns: 14, tokens: 105_000 + 1_400 });
    expect(first?.usd).toBeCloseTo(105 * 0.01 + 14 * 0.002, 9);
    expect(second?.model).toBe("anthropic:claude-haiku-4-5");
    // 1,000 × 1.25 + 100 × 5, in millionths.
    expect(second?.usd).toBeCloseTo((second?.turns ?? 0) * 0.00175, 9);
  });
});
