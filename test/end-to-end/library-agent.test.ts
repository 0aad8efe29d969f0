import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createAgent, createInbox, defineTool, dockerRuntime, loadPolicy, resumeRun, type AgentEvent, type Price } from "../../src/index.ts";
import { describeWithDocker } from "../support/docker.ts";
import { modelInProcess, type SaidCall } from "../support/model-in-process.ts";
import { makePlace, type Place } from "../support/warder-cli.ts";

const price: Price = { inputUsd: 10, cachedUsd: 10, outputUsd: 0 };
const call = (name: string, input: object): SaidCall => ({ callId: `call-${name}`, name, inputText: JSON.stringify(input) });
/** Does the calls, then says that it is done. */
const doing = (...calls: readonly SaidCall[]) => ({ provider: modelInProcess((_request, answers) => (answers === 0 ? { calls } : { text: "Done." })), price });
const containersOf = (runId: string): string =>
  execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${runId}`], { encoding: "utf8" });

describeWithDocker("an agent of an embedding program", () => {
  let place: Place;
  let policy = "";
  beforeEach(() => {
    const here = makePlace();
    onTestFinished(() => here.remove());
    vi.stubEnv("HOME", here.home);
    vi.stubEnv("WARDER_HOME", here.state);
    place = here;
    policy = join(here.root, "own.yaml");
    writeFileSync(policy, "version: 1\nname: own\nextends: unattended\ntools: { allow: [stock, shell] }\n");
  });

  test("runs with a tool and a provider of its own, and is read event by event", async () => {
    const asked: string[] = [];
    const stock = defineTool({
      name: "stock",
      description: "Says how many are there.",
      schema: z.object({ article: z.string() }),
      execute: ({ article }) => `${article}: ${String(asked.push(article))}`,
    });
    const agent = createAgent({ policy, model: doing(call("stock", { article: "lamp" })), workspace: place.workspace, tools: [stock] });
    const run = agent.run("How many lamps are there?");
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(containersOf(run.id)).toBe("");
    expect(asked).toEqual(["lamp"]);
    expect(events.map(({ kind }) => kind).join(" ")).toBe(
      "run-start turn-start message-start message-end ruling tool-start tool-end tool-result turn-end turn-start message-start message-delta message-end turn-end run-end",
    );
    expect(events.every(({ runId }) => runId === run.id)).toBe(true);
    expect(events).toContainEqual(expect.objectContaining({ kind: "tool-result", text: expect.stringContaining("lamp: 1") }));
    const { end, summary, isUnattended } = await run.result;
    expect([end.kind, end.text, isUnattended]).toEqual(["done", "Done.", true]);
    expect([summary.cost.usd, summary.models.map(({ model }) => model)]).toEqual([0.00002, ["test:in-process"]]);
  });

  test("has its sandbox in the engine that the program names, whatever DOCKER_HOST says", async () => {
    const host = process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock";
    const given = { policy: loadPolicy(policy, { workspace: place.workspace }), model: doing(call("shell", { command: "echo made > made" })) };
    vi.stubEnv("DOCKER_HOST", `unix://${join(place.root, "nowhere.sock")}`);
    const agent = createAgent({ ...given, workspace: place.workspace, runtime: dockerRuntime({ host }) });
    const { end, summary } = await agent.run("Make it.").result;
    expect([end.kind, summary.changes?.paths]).toEqual(["done", ["made"]]);
    vi.stubEnv("DOCKER_HOST", host);
    const nowhere = createAgent({ ...given, workspace: place.workspace, runtime: dockerRuntime({ host: `unix://${join(place.root, "nowhere.sock")}` }) });
    await expect(nowhere.run("Make it.").result).rejects.toMatchObject({ code: "sandbox-unavailable" });
  });

  test("leaves nothing running of a run whose events are left", async () => {
    const agent = createAgent({ policy, model: doing(call("shell", { command: "sleep 600" })), workspace: place.workspace });
    const run = agent.run("Wait.");
    for await (const event of run) {
      if (event.kind !== "tool-start") continue;
      expect(containersOf(run.id)).not.toBe("");
      break;
    }
    expect(containersOf(run.id)).toBe("");
    expect((await run.result).end.kind).toBe("cancelled");
  });

  test("runs twice at once: each run is one of its own, and one that is stopped stops no other", async () => {
    const model = doing(call("shell", { command: "sleep 2; echo done > made" }));
    const agent = createAgent({ policy, model, workspace: place.workspace });
    const stop = new AbortController();
    const one = agent.run("Make it.");
    const other = agent.run("Make it.", { signal: stop.signal });
    for await (const event of other) if (event.kind === "tool-start") stop.abort();
    const ends = await Promise.all([one.result, other.result]);
    expect(ends.map(({ end }) => end.kind)).toEqual(["done", "cancelled"]);
    expect(ends[0].summary.changes?.paths).toEqual(["made"]);
    expect(one.id).not.toBe(other.id);
    expect([containersOf(one.id), containersOf(other.id)]).toEqual(["", ""]);
  });

  test("is talked to when it goes on, too, and carries out its calls as it is told then", async () => {
    const heard: string[] = [];
    const provider = modelInProcess(
      (_request, answers) => (answers === 0 ? { calls: [call("shell", { command: "sleep 600" })] } : { text: "Done." }),
      ({ messages }) => heard.push(...messages.flatMap((message) => (message.kind === "user" ? [message.text] : []))),
    );
    const model = { provider, price };
    const run = createAgent({ policy, model, workspace: place.workspace }).run("Wait.");
    for await (const event of run) if (event.kind === "tool-start") break;
    const { signal } = new AbortController();
    const emit = (): void => undefined;
    await expect(resumeRun(run.id, { signal, emit, model, strategy: { kind: "parallel", atOnce: 0 } })).rejects.toMatchObject({ code: "bad-configuration" });
    const inbox = createInbox();
    inbox.followUp("And now the docs.");
    const end = await resumeRun(run.id, { signal, emit, model, inbox, strategy: { kind: "sequential" } });
    expect(end).toMatchObject({ kind: "ran", result: { end: { kind: "done" } } });
    expect(heard).toContain("And now the docs.");
  });

  test("asks a function what its policy asks", async () => {
    writeFileSync(
      policy,
      'version: 1\nname: own\nextends: unattended\ncommands: { rules: [{ id: touches, ask: "touch **", because: "It is to be asked." }] }\n',
    );
    const commands: string[] = [];
    const agent = createAgent({
      policy,
      model: doing(call("shell", { command: "touch made" })),
      workspace: place.workspace,
      approvals: (card) => {
        commands.push(...card.commands);
        return { kind: "granted", scope: "once", by: "ann" };
      },
    });
    const { end, summary } = await agent.run("Make it.").result;
    expect([end.kind, commands, summary.changes?.paths]).toEqual(["done", ["touch made"], ["made"]]);
    expect(summary.asked).toMatchObject([{ answer: "granted", by: "ann" }]);
  });
});
