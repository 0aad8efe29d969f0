import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  AgentError,
  createAgent,
  bubblewrapRuntime,
  defineTool,
  dockerRuntime,
  loadPolicy,
  staticTools,
  type Agent,
  type AgentEvent,
  type AgentRun,
  type AgentRunEnd,
  type AgentSpec,
  type ApprovalCard,
  type Hook,
  type LoadedPolicy,
} from "../../../src/index.ts";
import { makePlace } from "../../support/warder-cli.ts";
import { modelInProcess } from "../../support/model-in-process.ts";

const provider = modelInProcess(() => ({ text: "Done." }));
let workspace = "";
let root = "";

beforeEach(() => {
  const place = makePlace();
  onTestFinished(() => place.remove());
  vi.stubEnv("HOME", place.home);
  vi.stubEnv("WARDER_HOME", place.state);
  ({ workspace, root } = place);
});

const made = (spec: Partial<AgentSpec>) => (): Agent => createAgent({ policy: "unattended", model: "scripted:script.yaml", workspace, ...spec });

describe("an agent", () => {
  test("has its policy and workspace, and holds nothing open", () => {
    expect(made({})()).toMatchObject({ policy: { name: "unattended" }, workspace });
  });

  test.each<[string, () => Partial<AgentSpec>, string]>([
    ["a policy that is not there", () => ({ policy: "nowhere" }), "bad-policy"],
    ["a workspace that is not there", () => ({ workspace: join(root, "nowhere") }), "usage"],
    ["a model that is none", () => ({ model: "claude" }), "usage"],
    ["two tools of one name", () => ({ tools: staticTools({ shell: "mine" }) }), "bad-configuration"],
    ["a restriction that is misspelt", () => ({ hook: [] }) as Partial<AgentSpec>, "usage"],
    ["a policy that a program made up", () => ({ policy: { ...loadPolicy("unattended", { workspace }) } }), "bad-policy"],
    ["a policy that was loaded for another workspace", () => ({ policy: loadPolicy("unattended", { workspace: join(root, "other") }) }), "usage"],
    [
      "a policy that was loaded beside another state",
      () => ({ policy: loadPolicy("unattended", { workspace, stateDirectory: join(root, "other") }) }),
      "usage",
    ],
    ["another runtime than its policy names", () => ({ runtime: bubblewrapRuntime() }), "bad-configuration"],
    ["a runtime that is not Warder's", () => ({ runtime: { name: "docker" } }), "bad-configuration"],
    ["a hook without a function", () => ({ hooks: [{ name: "idle" }] }), "bad-configuration"],
  ])("is not made of %s", (_what, spec, code) => {
    const thrown = ((): unknown => {
      try {
        return made(spec())();
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(AgentError);
    expect(thrown).toMatchObject({ code });
  });

  test("keeps the policy that it was made with", () => {
    const policy = join(root, "own.yaml");
    writeFileSync(policy, "version: 1\nname: own\nextends: unattended\n");
    const agent = made({ policy })();
    writeFileSync(policy, "version: 1\nname: other\nextends: unattended\n");
    expect(agent.policy.name).toBe("own");
  });

  test("takes a policy that was loaded for its workspace, and that nobody can change any more", () => {
    const policy = loadPolicy("unattended", { workspace });
    expect(made({ policy, runtime: dockerRuntime({ host: "unix:///nowhere.sock" }) })().policy).toBe(policy.policy);
    expect(() => (policy.policy.tools.allow as string[]).push("mine")).toThrow(TypeError);
    expect(() => Object.assign(policy.policy.sandbox, { workspace: "direct" })).toThrow(TypeError);
  });

  test.each([{ hosts: "unix:///x" }, { host: "" }, { certificates: "/certs" }, { answerTimeoutMs: 0 }, { answerTimeoutMs: Number.NaN }])(
    "takes no Docker engine at %j",
    (place) => {
      expect(() => dockerRuntime(place as object)).toThrow("This is no place of a Docker engine: ");
    },
  );

  test("begins no run without a task", async () => {
    await expect(made({})().run(" ").result).rejects.toMatchObject({ code: "usage", problem: "A task is needed." });
  });

  test("says what its run cannot begin with: a script that is not there", async () => {
    const run = made({ model: `scripted:${join(root, "nowhere.yaml")}` })().run("Go.");
    await expect(run.result).rejects.toMatchObject({ name: "AgentError", code: "bad-configuration" });
  });

  test("of a provider of one's own wants its price, under a policy that limits cost", async () => {
    await expect(made({ model: { provider, price: null } })().run("Go.").result).rejects.toMatchObject({
      code: "bad-configuration",
      problem: "The policy limits cost, and the price of test:in-process is not known, which counts as too much.",
    });
  });
});

test("types say what a program may give, and what it gets", async () => {
  const weather = defineTool({
    name: "weather",
    description: "Says how the weather will be.",
    schema: z.object({ city: z.string(), days: z.number().default(1) }),
    execute: ({ city, days }, context) => {
      expectTypeOf(city).toEqualTypeOf<string>();
      expectTypeOf(days).toEqualTypeOf<number>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      return "rain";
    },
  });
  const agent = createAgent({
    policy: "unattended",
    model: `scripted:${join(root, "nowhere.yaml")}`,
    workspace,
    tools: [weather, ...staticTools({ fixed: "answer" })],
    hooks: [{ name: "none", beforeTool: (call) => (call.tool === "weather" ? { block: "no" } : undefined) }],
    approvals: (card, signal) => {
      expectTypeOf(card).toEqualTypeOf<ApprovalCard>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return { kind: "refused", scope: "once", by: "ann" };
    },
  });
  const run = agent.run("Go.", { signal: new AbortController().signal });
  expectTypeOf(run).toEqualTypeOf<AgentRun>();
  expectTypeOf(run.result).resolves.toEqualTypeOf<AgentRunEnd<null>>();
  const shaped = agent.run("Go.", { output: z.object({ count: z.number(), names: z.array(z.string()).default([]) }) });
  expectTypeOf(shaped.result).resolves.toHaveProperty("output").toEqualTypeOf<{ count: number; names: string[] } | null>();
  await expect(shaped.result).rejects.toMatchObject({ code: "bad-configuration" });
  expectTypeOf<AgentSpec>().pick("policy").toEqualTypeOf<{ readonly policy: string | LoadedPolicy }>();
  expectTypeOf<Parameters<NonNullable<Hook["beforeTool"]>>[0]["input"]>().toBeUnknown();
  const reading = async (): Promise<void> => {
    for await (const event of run) {
      expectTypeOf(event).toEqualTypeOf<AgentEvent>();
      if (event.kind === "message-delta") expectTypeOf(event.text).toEqualTypeOf<string>();
      if (event.kind === "run-end") expectTypeOf(event.end.kind).not.toBeAny();
      // @ts-expect-error No event is called like this.
      if (event.kind === "nothing") break;
    }
  };
  await expect(reading()).rejects.toMatchObject({ code: "bad-configuration" });
  // @ts-expect-error A yes names whoever gave it.
  expect(made({ approvals: () => ({ kind: "granted", scope: "once" }) })).toBeTypeOf("function");
  // @ts-expect-error A policy, a model and a workspace are named.
  expect(() => createAgent({ policy: "unattended" })).toThrow("An agent needs a model.");
});
