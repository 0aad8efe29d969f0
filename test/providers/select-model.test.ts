import { expect, test } from "vitest";
import { parseModelName } from "../../src/providers/contract/model-name.ts";
import { selectModel } from "../../src/providers/select-model.ts";

const sources = (env: Record<string, string>) => ({ env, readScript: () => Promise.reject(new Error("No script was asked for.")) });

test("takes a model's name apart at its first colon", () => {
  expect(parseModelName("ollama:qwen3:8b")).toEqual({ provider: "ollama", name: "qwen3:8b" });
  expect(parseModelName("scripted:a/b.yaml")).toEqual({ provider: "scripted", name: "a/b.yaml" });
});

test.each([[""], ["claude"], ["anthropic:"], [":x"], ["Anthropic:x"], ["toString:x"]])("refuses %j as a model", (text) => {
  expect(() => parseModelName(text)).toThrow(expect.objectContaining({ code: "usage" }));
});

test.each([
  ["anthropic:x", "ANTHROPIC_API_KEY"],
  ["openai:x", "OPENAI_API_KEY"],
  ["google:x", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ["openai-compatible:x", "WARDER_BASE_URL"],
])("names the variable that %s misses", async (model, variable) => {
  await expect(selectModel(parseModelName(model), sources({}))).rejects.toMatchObject({
    code: "bad-configuration",
    message: expect.stringContaining(variable),
  });
});

test.each([["not a url"], ["file:///etc/passwd"], ["https://user:secret@example.com/v1"]])("refuses %j as a base URL, without repeating it", async (url) => {
  const selecting = selectModel(parseModelName("openai-compatible:x"), sources({ WARDER_BASE_URL: url }));
  await expect(selecting).rejects.toMatchObject({ code: "bad-configuration", message: expect.not.stringContaining("secret") });
});

test("reads the script of a scripted model through the given reader", async () => {
  const provider = await selectModel(parseModelName("scripted:s.yaml"), {
    env: {},
    readScript: (file) => Promise.resolve({ value: { protocol: "openai", turns: [{ say: file }] } }),
  });
  try {
    expect(provider).toMatchObject({ id: "scripted:s.yaml", isScripted: true });
  } finally {
    await provider.close();
  }
});
