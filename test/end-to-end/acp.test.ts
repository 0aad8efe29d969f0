import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, type PermissionOption, type RequestPermissionRequest, type SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { place, script } from "../support/test-place.ts";
import { startToldModel, textOf } from "../support/told-model.ts";
import { until } from "../support/until.ts";
import { type Place, startWarder, warder } from "../support/warder-cli.ts";

const PLAY = `protocol: anthropic
turns:
  - say: "Looking."
    calls:
      - { tool: todo_write, input: { todos: [{ content: "Edit it", status: in_progress }] } }
      - { tool: read_file, input: { path: hello.txt } }
  - calls: [{ tool: edit_file, input: { path: hello.txt, old_string: world, new_string: moon } }]
  - calls: [{ tool: shell, input: { command: "touch made" } }]
  - calls: [{ tool: shell, input: { command: "rm made" } }]
  - calls: [{ tool: shell, input: { command: "no-such-program" } }]
  - say: "Done."
  - calls: [{ tool: shell, input: { command: "sleep 50" } }]
  - say: "Went on."
  - calls: [{ tool: shell, input: { command: "touch later" } }]
`;

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The protocol's own client, with `warder acp` at its other end. */
function editor(here: Place, argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = startWarder(here, ["acp", ...argv], environment);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const wire = new PassThrough();
  const seen = { output: "", messages: "", updates: [] as SessionUpdate[], asked: [] as RequestPermissionRequest[] };
  const answers: ((options: readonly PermissionOption[], text: string) => string | null)[] = [];
  child.stdin?.on("error", () => undefined);
  child.stderr?.on("data", (text: Buffer) => (seen.messages += text.toString()));
  child.stdout?.on("data", (bytes: Buffer) => (seen.output += bytes.toString()));
  const connect = () => {
    child.stdout?.pipe(wire);
    const stream = ndJsonStream(Writable.toWeb(child.stdin ?? wire), Readable.toWeb(wire));
    const connection = client({ name: "a test" })
      .onNotification(methods.client.session.update, ({ params }) => void seen.updates.push(params.update))
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        seen.asked.push(params);
        const answer = answers.shift();
        // Somebody who never answers.
        if (answer === undefined) return await new Promise(() => undefined);
        const optionId = answer(params.options, JSON.stringify(params.toolCall.content));
        return { outcome: optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
      })
      .connect(stream);
    return connection.agent;
  };
  return { child, seen, answers, connect, ended: new Promise<number | null>((resolve) => child.on("exit", resolve)) };
}

const named = (name: string) => (options: readonly PermissionOption[]) => options.find((option) => option.name.startsWith(name))?.optionId ?? "none";
const containers = (run: string): string =>
  execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`], { encoding: "utf8" }).trim();

describeWithDocker("warder acp", () => {
  test("is an editor's agent: a run for each session, whose calls are shown, asked about, cancelled and gone on with", async () => {
    const here = place();
    const cwd = here.workspace;
    writeFileSync(join(cwd, "hello.txt"), "hello world\n");
    const { child, seen, answers, connect, ended } = editor(here, ["--model", script(here, PLAY)]);
    // Rubbish, and half a frame, before anything else.
    child.stdin?.write('no JSON\n[]\n7\n{"jsonrpc":"2.0","id":"half","method":"nope/');
    await until("rubbish is answered", () => seen.output.split("\n").length > 3);
    child.stdin?.write('never"}\n');
    await until("the whole frame is answered", () => seen.output.includes('"half"'));

    const agent = connect();
    const hello = await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
    });
    expect(hello).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [] });
    await expect(agent.request(methods.agent.authenticate, { methodId: "any" })).rejects.toThrow(/nobody signs in here/u);
    await expect(agent.request("session/fly", {})).rejects.toThrow(/Method not found/u);
    await expect(agent.request(methods.agent.session.new, { cwd: "elsewhere", mcpServers: [] })).rejects.toThrow(/absolute path/u);
    await expect(agent.request(methods.agent.session.new, { cwd: here.root, mcpServers: [] })).rejects.toThrow(/holds your home/u);
    const prompt = async (sessionId: string, text: string) =>
      await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    await expect(prompt("run-nobody", "Go.")).rejects.toThrow(/not found/u);

    const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    await expect(prompt(sessionId, "a".repeat(300_000))).rejects.toThrow(/longer than/u);
    let isBusy = "";
    answers.push(
      (options) => {
        void prompt(sessionId, "And this.").catch((error: unknown) => (isBusy = String(error)));
        return named("Allow once")(options);
      },
      (options) => options.find(({ kind }) => kind === "allow_always")?.optionId ?? "none",
      named("Refuse"),
      // Whoever takes the first yes unread has none.
      (options) => options.find(({ kind }) => kind.startsWith("allow"))?.optionId ?? "none",
    );
    expect(await prompt(sessionId, "Make it.")).toEqual({ stopReason: "end_turn" });
    expect(isBusy).toContain("this session is at work");
    expect(readFileSync(join(cwd, "hello.txt"), "utf8")).toBe("hello moon\n");
    expect(seen.asked).toHaveLength(4);
    expect(seen.asked[0]?.toolCall.content?.[0]).toEqual({ type: "diff", path: join(cwd, "hello.txt"), oldText: "hello world", newText: "hello moon" });
    expect(JSON.stringify(seen.asked[3]?.toolCall.content)).toMatch(/choose this word: [a-z]+-\d\d/u);
    const of = (kind: SessionUpdate["sessionUpdate"]): readonly unknown[] => seen.updates.filter(({ sessionUpdate }) => sessionUpdate === kind);
    const text = (): string =>
      seen.updates
        .flatMap((update) => (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : []))
        .join("");
    expect(text()).toContain("Looking.");
    expect(text()).toContain("Done.");
    expect(of("plan")).toMatchObject([{ entries: [{ content: "Edit it", status: "in_progress" }] }]);
    expect(of("tool_call")).toContainEqual(expect.objectContaining({ kind: "edit", locations: [{ path: join(cwd, "hello.txt") }] }));
    const outcomes = of("tool_call_update").filter((update) => /"status":"(?:completed|failed)"/u.test(JSON.stringify(update)));
    expect(outcomes.map((update) => (update as { status: string }).status)).toEqual(["completed", "completed", "completed", "completed", "failed", "failed"]);

    const before = seen.updates.length;
    const cancelled = prompt(sessionId, "Wait.");
    await until("it sleeps", () => seen.updates.slice(before).some((update) => JSON.stringify(update).includes("in_progress")));
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await cancelled).toEqual({ stopReason: "cancelled" });
    expect(await prompt(sessionId, "Go on.")).toEqual({ stopReason: "end_turn" });
    expect(text()).toContain("Went on.");

    seen.updates.length = 0;
    await expect(agent.request(methods.agent.session.load, { sessionId, cwd: here.home, mcpServers: [] })).rejects.toThrow(/is a run of/u);
    await agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    expect(JSON.stringify(of("user_message_chunk"))).toMatch(/Make it\.[^]*Wait\.[^]*Go on\./u);
    expect(of("tool_call")).toHaveLength(7);

    // A question is open when the editor goes away: nobody answered it, and nothing is left.
    const left = prompt(sessionId, "Later.").catch(() => null);
    await until("it asks", () => seen.asked.length === 5);
    expect(containers(sessionId)).not.toBe("");
    child.stdin?.end();
    expect(await ended).toBe(0);
    await left;
    expect(containers(sessionId)).toBe("");
    expect(existsSync(join(cwd, "later"))).toBe(false);
    for (const line of seen.output.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    const log = (await warder(here, ["audit", "tail", "--run", sessionId, "--json", "--limit", "500"])).stdout;
    expect(log).toContain('"by":"editor"');
    expect(log.match(/"kind":"approval-answered"/gu)).toHaveLength(5);
    expect(await warder(here, ["audit", "verify"])).toMatchObject({ exitCode: 0 });
    const shown = await warder(here, ["approvals", "list"]);
    expect(shown.stdout).not.toContain("touch later");
  });

  test("the images of a message reach the model, also of a further one", async () => {
    await using model = await startToldModel();
    const here = place();
    const { connect } = editor(here, ["--policy", "read-only", "--model", model.name], model.environment);
    const agent = connect();
    expect(await agent.request(methods.agent.initialize, { protocolVersion: 1 })).toMatchObject({ agentCapabilities: { promptCapabilities: { image: true } } });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: here.workspace, mcpServers: [] });
    const prompt = async (text: string, data = PNG) =>
      await agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [
          { type: "text", text },
          { type: "image", data, mimeType: "image/png" },
        ],
      });
    for (const [count, text] of ["Look: ", "And now: "].entries()) {
      const answered = prompt(text);
      const asked = await model.asked();
      expect(asked.messages.slice(-2).map(textOf)).toEqual([`${text}[image 1]`, expect.stringContaining("image 1")]);
      expect(JSON.stringify(asked.messages).split(`data:image/png;base64,${PNG}`)).toHaveLength(count + 2);
      asked.say("Seen.");
      asked.end();
      expect(await answered).toEqual({ stopReason: "end_turn" });
    }
    await expect(prompt("What is that? ", "c2VjcmV0")).rejects.toThrow(/image 1 is not sent: it is no PNG/u);
  });
});
