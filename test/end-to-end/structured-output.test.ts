import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createAgent, defineTool } from "../../src/index.ts";
import { describeWithDocker } from "../support/docker.ts";
import { modelInProcess, type SaidCall, type SaidTurn } from "../support/model-in-process.ts";
import { place, script } from "../support/test-place.ts";
import { makePlace, warder } from "../support/warder-cli.ts";

const price = { inputUsd: 0, cachedUsd: 0, outputUsd: 0 };
const give = (input: object): SaidCall => ({
  callId: `call-${Math.random().toString(36).slice(2)}`,
  name: "structured_output",
  inputText: JSON.stringify(input),
});
const review = z.object({ verdict: z.enum(["sound", "faulty"]), lines: z.array(z.int()).default([]) });

function agentSaying(turns: readonly SaidTurn[], policy = "unattended"): { readonly agent: ReturnType<typeof createAgent>; readonly root: string } {
  const here = makePlace();
  onTestFinished(() => here.remove());
  vi.stubEnv("HOME", here.home);
  vi.stubEnv("WARDER_HOME", here.state);
  const file = join(here.root, "own.yaml");
  writeFileSync(file, policy === "unattended" ? "version: 1\nname: own\nextends: unattended\n" : policy);
  const provider = modelInProcess((_request, answers) => turns[answers] ?? { text: "I have nothing more." });
  return { agent: createAgent({ policy: file, model: { provider, price }, workspace: here.workspace }), root: here.root };
}

describeWithDocker("a run whose result has a shape", () => {
  test("gives it, checked and typed, and ends by it", async () => {
    const { agent } = agentSaying([{ calls: [give({ verdict: "perfect" })] }, { calls: [give({ verdict: "sound" })] }, { text: "Never said." }]);
    const run = agent.run("Review it.", { output: review });
    const results: string[] = [];
    for await (const event of run) if (event.kind === "tool-result") results.push(event.text);
    const { end, output } = await run.result;
    expect([end.kind, end.turns]).toEqual(["done", 2]);
    expect(results).toEqual([expect.stringContaining("Invalid arguments for structured_output: verdict"), expect.stringContaining("The result was taken.")]);
    expect(output).toEqual({ verdict: "sound", lines: [] });
    expect(() => output?.lines.push(1)).toThrow(TypeError);
  });

  test("fails where the model never gives it", async () => {
    const { agent } = agentSaying([{ text: "It is sound." }]);
    const { end, output } = await agent.run("Review it.", { output: review }).result;
    expect([end.kind, output]).toEqual(["failed", null]);
    expect(end.reason).toContain("gave no result by structured_output");
  });

  test("has none where none was wanted, and the tool is not there then", async () => {
    const { agent } = agentSaying([{ calls: [give({ verdict: "sound" })] }, { text: "Done." }]);
    const run = agent.run("Review it.");
    const results: string[] = [];
    for await (const event of run) if (event.kind === "tool-result") results.push(event.text);
    expect((await run.result).output).toBeNull();
    expect(results).toEqual([expect.stringContaining("Tool not found: structured_output")]);
  });

  test("is not begun under a policy that does not offer the tool, nor for a schema that no model is shown", async () => {
    const { agent } = agentSaying([], "version: 1\nname: own\nextends: unattended\ntools: { allow: [read_file] }\n");
    await expect(agent.run("Review it.", { output: review }).result).rejects.toMatchObject({
      code: "usage",
      problem: "The policy own does not offer structured_output, by which a run gives its result.",
    });
    const node = z.object({
      name: z.string(),
      get inner() {
        return node.optional();
      },
    });
    await expect(agentSaying([]).agent.run("Review it.", { output: node }).result).rejects.toMatchObject({ code: "bad-configuration" });
    const own = defineTool({ name: "structured_output", description: "Mine.", schema: z.object({}), execute: () => "x" });
    const taken = createAgent({ policy: "unattended", model: "scripted:x.yaml", workspace: agent.workspace, tools: [own] });
    await expect(taken.run("Review it.", { output: review }).result).rejects.toMatchObject({ code: "bad-configuration" });
  });

  test("is the run's own to give: a sub-agent neither sees the tool nor can call it", async () => {
    const offered: string[][] = [];
    const provider = modelInProcess(
      ({ messages: [first] }, answers) => {
        const isChild = first?.kind === "user" && first.text.includes("Look at it.");
        if (isChild) return answers === 0 ? { calls: [give({ verdict: "faulty" })] } : { text: "Looked." };
        const calls = [{ callId: "call-agent", name: "agent", inputText: JSON.stringify({ task: "Look at it." }) }];
        return [{ calls }, { calls: [give({ verdict: "sound" })] }][answers] ?? { text: "Done." };
      },
      ({ messages: [first], tools }) => first?.kind === "user" && first.text.includes("Look at it.") && offered.push(tools.map(({ name }) => name)),
    );
    const { agent } = agentSaying([]);
    const own = createAgent({ policy: "unattended", model: { provider, price }, workspace: agent.workspace });
    const run = own.run("Review it.", { output: review });
    const refused: string[] = [];
    for await (const event of run) if (event.kind === "child-event" && event.event.kind === "tool-result") refused.push(event.event.text);
    expect((await run.result).output).toEqual({ verdict: "sound", lines: [] });
    expect(refused).toEqual([expect.stringContaining("Denied by rule")]);
    expect(offered.flat()).toContain("read_file");
    expect(offered.flat()).not.toContain("structured_output");
  });

  test("is asked for by `warder run --output-schema`, printed before the summary, and stands in the last line of --json", async () => {
    const here = place();
    const schema = join(here.root, "schema.json");
    writeFileSync(schema, JSON.stringify({ type: "object", properties: { count: { type: "integer", minimum: 1 } }, required: ["count"] }));
    const text = `protocol: anthropic\nturns:\n  - say: There are some.\n  - calls: [{ tool: structured_output, input: { count: 0 } }]\n  - calls: [{ tool: structured_output, input: { count: 7 } }]\n`;
    const run = (...more: readonly string[]) =>
      warder(here, ["run", "--unattended", "--output-schema", schema, ...more, "--model", script(here, text), "Count."]);
    const plain = await run();
    expect(plain.exitCode, plain.stderr).toBe(0);
    expect(plain.stdout).toContain('\n{"count":7}\n');
    const json = await run("--json");
    expect(JSON.parse(json.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ kind: "run-end", end: { kind: "done" }, output: { count: 7 } });
    writeFileSync(schema, "{}");
    const wrong = await run();
    expect([wrong.exitCode, wrong.stderr]).toEqual([78, expect.stringContaining("it is no schema of an object")]);
  });
});
