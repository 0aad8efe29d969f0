import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configuredModels } from "../../../src/app/models/configured.ts";
import { modelsText } from "../../../src/cli/view/models.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const SETTINGS = `version: 1
models: { main: ["anthropic:claude-sonnet-5", "openai-compatible:qwen"], small: "anthropic:claude-haiku-4-5" }
keys:
  anthropic: { command: [/usr/bin/secret-tool, lookup, service, anthropic] }
`;

function environment(more: Record<string, string> = {}): Record<string, string> {
  const state = join(temporaryDirectory(), "state");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "settings.yaml"), SETTINGS, { mode: 0o600 });
  writeFileSync(join(state, "prices.yaml"), '"openai-compatible:qwen": { input: 0.5, output: 1, context: 32768 }\n', { mode: 0o600 });
  return { WARDER_HOME: state, ...more };
}

test("each configured model is listed with its use, its window, its price and where its key comes from", () => {
  expect(configuredModels(environment())).toEqual([
    {
      model: "anthropic:claude-sonnet-5",
      use: "main",
      contextTokens: 1_000_000,
      price: { inputUsd: 2.5, cachedUsd: 0.2, outputUsd: 10 },
      key: { kind: "command", argv: ["/usr/bin/secret-tool", "lookup", "service", "anthropic"] },
      needsKey: true,
    },
    {
      model: "openai-compatible:qwen",
      use: "fallback",
      contextTokens: 32_768,
      price: { inputUsd: 0.5, cachedUsd: 0.5, outputUsd: 1 },
      key: null,
      needsKey: false,
    },
    expect.objectContaining({ model: "anthropic:claude-haiku-4-5", use: "small", contextTokens: 200_000 }),
  ]);
});

test("a key is never shown, and each line fits 80 columns", () => {
  const key = "sk-ant-1234567890abcdef";
  const given = environment({ ANTHROPIC_API_KEY: key, WARDER_MODEL: "anthropic:claude-opus-4-8,openai:gpt-9" });
  const text = modelsText(configuredModels(given));
  expect(text).not.toContain(key);
  expect(JSON.stringify(configuredModels(given))).not.toContain(key);
  expect(text).toContain("key from the variable ANTHROPIC_API_KEY");
  expect(text).toContain("200,000 tokens of context, 6.25 in, 0.5 cached, 25 out (US$ per million)");
  expect(text).toContain("price not known");
  expect(text).toContain("no key: see docs/guides/models.md");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("without a model it says how one is named", () => {
  expect(modelsText(configuredModels({ WARDER_HOME: join(temporaryDirectory(), "state") }))).toContain("--model PROVIDER:NAME");
});
