import { expect, test } from "vitest";
import { z } from "zod";
import type { ApprovalAnswer, ApprovalCard } from "../../../src/approvals/card.ts";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import { defineTool } from "../../../src/tools/contract/define.ts";
import type { SampleRequest, ServerAsksHandle } from "../../../src/tools/contract/run-handles.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { policyText, scene, textOf, type SceneOptions } from "../gate-scene.ts";

const POLICY = `${policyText({ autonomy: "full" })}tools: { allow: ["*", "@notes", deploy] }\n`;
const RHYME: SampleRequest = { system: null, messages: [{ role: "user", text: 'Write a "rhyme".' }], maxTokens: 100 };
const words = (said: string): ApprovalAnswer => ({ kind: "granted", scope: "once", by: "ann@test", words: said });

/** A tool of a server, and one of an embedding program, that both do `what` with what a server may ask for. */
function asking(what: (asks: ServerAsksHandle) => Promise<unknown>, options: SceneOptions & { readonly asking?: GateParts["asking"] } = {}) {
  const tool = (name: string) =>
    defineTool({ name, description: "", schema: z.object({}), execute: async (_input, { handles }) => JSON.stringify(await what(handles.serverAsks)) });
  const change = (): Partial<GateParts> => ({
    tools: createRegistry(undefined, [tool("deploy")], [tool("notes__do")]),
    ofServers: new Set(["notes__do"]),
    ...(options.asking === undefined ? {} : { asking: options.asking }),
  });
  return scene({ policy: POLICY, ...options, change });
}

test("what a server asks is an approval of its own, its answer is the person's words, and both are recorded", async () => {
  const cards: ApprovalCard[] = [];
  const answer = (card: ApprovalCard): ApprovalAnswer => {
    cards.push(card);
    return cards.length === 1 ? words("window") : { kind: "refused", scope: "once", by: "ann@test", message: "enough" };
  };
  const made = asking(async (asks) => [await asks.question("Which seat?", ["window", "aisle"]), await asks.question("And why?", [])], { answer });
  const end = await made.call("notes__do", {});
  expect(textOf(end)).toContain('[{"words":"window"},{"problem":"');
  expect(textOf(end)).toContain('"isRefused":true}');
  expect(end.result.label).toBe("untrusted");
  expect(cards.map(({ tool, question }) => [tool, question])).toEqual([
    ["ask_user", { text: "Which seat?", choices: ["window", "aisle"] }],
    ["ask_user", { text: "And why?", choices: [] }],
  ]);
  expect(made.records("question-answered").map(({ payload }) => [payload["call"], payload["text"]])).toEqual([["call-1.0", "window"]]);
  expect(made.records("approval-answered")).toHaveLength(2);
});

test("nobody is asked for an embedding program's tool, in a run that parks, or where the policy has no questions", async () => {
  const ask = async (asks: ServerAsksHandle): Promise<unknown> => await asks.question("Which seat?", []);
  const answer = (): ApprovalAnswer => words("window");
  const own = asking(ask, { answer });
  expect(textOf(await own.call("deploy", {}))).toContain("only the tools of MCP servers ask in this way");
  const parks = asking(ask, { answer, asking: "park" });
  expect(textOf(await parks.call("notes__do", {}))).toContain("nobody can be asked at once in this run");
  const denies = asking(ask, { answer, policy: `${POLICY.trimEnd().slice(0, -1)}, deny: [ask_user] }\n` });
  expect(textOf(await denies.call("notes__do", {}))).toContain("Denied by rule");
  for (const { cards, records } of [own, parks, denies]) expect([cards, records("approval-requested")]).toEqual([[], []]);
});

test("a server's command opens no shell of the run, though it is judged", async () => {
  const request = { kind: "command", text: "ls", place: { server: "notes", roots: [] } } as const;
  const tool = defineTool({
    name: "notes__do",
    description: "",
    schema: z.object({}),
    requests: (_input, { workspace }) => [{ ...request, cwd: workspace }],
    execute: async (_input, { handles, workspace }) => (await handles.shell.run("ls", workspace)).kind,
  });
  const made = scene({ policy: POLICY, change: () => ({ tools: createRegistry(undefined, [], [tool]) }) });
  expect(textOf(await made.call("notes__do", {}))).toContain("denied");
  expect(made.records("permit-spent").map(({ payload }) => payload["does"])).toEqual(["invoke"]);
});

test("a model writes for a server after a person's yes to exactly that, once, and not after anything else", async () => {
  const samples: SampleRequest[] = [];
  const sample: NonNullable<SceneOptions["sample"]> = (request) => {
    samples.push(request);
    return Promise.resolve({ text: "a rhyme", model: "m", isWhole: true });
  };
  const write = async (asks: ServerAsksHandle): Promise<unknown> => await asks.sample(RHYME, { server: "notes", tool: "do" });
  const said = async (answer: SceneOptions["answer"], model: SceneOptions["sample"] = sample) => {
    const made = asking(write, { ...(answer && { answer }), ...(model && { sample: model }) });
    return { text: textOf(await made.call("notes__do", {})), made };
  };
  for (const no of [words("no"), words("go on"), words("yes, but shorter"), { kind: "refused", scope: "once", by: "ann@test" } as const])
    expect((await said(() => no)).text).toContain('"problem"');
  expect((await said(undefined)).text).toContain("nobody can be asked at once");
  expect(samples).toEqual([]);
  const { text, made } = await said(() => words("yes"));
  expect(text).toContain('{"text":"a rhyme","model":"m","isWhole":true}');
  expect(samples).toEqual([RHYME]);
  expect(made.cards[0]?.question).toEqual({
    text: `May the MCP server notes have a model of this run write for it, while it does do? That is paid from this run's budget: it reads 22 characters and writes at most 100 tokens. The model sees nothing of this run, and what it writes goes to that server. The server's text for it: "user: Write a 'rhyme'."`,
    choices: ["yes", "no"],
  });
});
