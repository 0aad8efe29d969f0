import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { httpMcpClient } from "../support/mcp-client.ts";
import { place } from "../support/test-place.ts";
import { until } from "../support/until.ts";
import { startWarder, warder, writePolicy } from "../support/warder-cli.ts";

const containers = (run: string): string =>
  execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`], { encoding: "utf8" }).trim();

type Outcome = {
  readonly isError?: boolean;
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: object;
  readonly _meta?: object;
};

describeWithDocker("warder mcp over HTTP", () => {
  test("gives each session a run of its own, shares one among clients without sessions, and ends all with their clients", async () => {
    const here = place();
    const made = (name: string): boolean => existsSync(join(here.workspace, name));
    const policy = writePolicy(here, "codes", "version: 1\nname: codes\nextends: supervised\napprovals: { codes: [deletes] }\n");
    const server = startWarder(here, ["mcp", "--http", "0", "--policy", policy]);
    onTestFinished(() => void server.kill("SIGKILL"));
    const ended = new Promise<number | null>((resolve) => server.on("exit", resolve));
    let messages = "";
    server.stderr?.on("data", (text: Buffer) => (messages += text.toString()));
    await until("it serves", () => messages.includes("serving at "));
    const url = /serving at (\S+)/u.exec(messages)?.[1] ?? "";
    const file = join(here.state, "mcp-token");
    const token = readFileSync(file, "utf8").trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(messages).toContain(`shown this once: ${token}`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/u);

    // Two clients of sessions at once: two runs.
    const first = await httpMcpClient(url, token, async () => await Promise.resolve({ action: "accept" as const, content: {} }));
    const second = await httpMcpClient(url, token);
    const answers = await Promise.all([first.call("shell", { command: "touch first" }), second.call("shell", { command: "touch second" })]);
    expect(answers.map(({ meta }) => meta["warder/end"])).toEqual(["executed", "parked"]);
    expect([made("first"), made("second")]).toEqual([true, false]);
    const runs = [...messages.matchAll(/^warder: run (run-\S+)$/gmu)].map(([, run = ""]) => run);
    expect(new Set(runs).size).toBe(2);

    // A client without a session: a form in place of a question, and the call again with what the person did.
    const ask = async (name: string, more: object = {}, capabilities: object = { elicitation: { form: {} } }): Promise<Outcome> => {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "a newer test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      };
      const params = { name: "shell", arguments: { command: name.includes(" ") ? name : `touch ${name}` }, _meta: meta, ...more };
      const response = await fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "shell",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
      return ((await response.json()) as { result: Outcome }).result;
    };
    const given = (requestState: string | undefined, action: string, content: object = {}): object => ({
      requestState,
      inputResponses: { answer: { action, content } },
    });
    const { requestState, ...form } = await ask("third");
    expect(form).toMatchObject({ resultType: "input_required", inputRequests: { answer: { method: "elicitation/create" } } });
    // An answer to no form of this call, to that of another, and one that is none: the form is shown again.
    expect(await ask("fourth", given(requestState, "accept"))).toMatchObject({ resultType: "input_required" });
    const again = await ask("third", given("form-000000000000", "accept"));
    expect(again).toMatchObject({ resultType: "input_required" });
    expect(await ask("third", given(requestState, "accept"))).toMatchObject({ resultType: "input_required" });
    expect(made("third")).toBe(false);
    const last = await ask("third");
    expect(await ask("third", given(last.requestState, "accept"))).toMatchObject({ isError: false, _meta: { "warder/end": "executed" } });
    expect(made("third")).toBe(true);
    // A yes counts once.
    expect(await ask("third", given(last.requestState, "accept"))).toMatchObject({ resultType: "input_required" });
    expect(await ask("fifth", given((await ask("fifth")).requestState, "decline"))).toMatchObject({ isError: true, _meta: { "warder/end": "refused" } });
    expect(await ask("sixth", given((await ask("sixth")).requestState, "cancel"))).toMatchObject({ isError: true, _meta: { "warder/end": "parked" } });
    // High risk wants the word of its form; what needs a code, and a client without forms, never get one.
    expect(await ask("no-such-program x", given((await ask("no-such-program x")).requestState, "accept", { word: "yes" }))).toMatchObject({
      _meta: { "warder/end": "parked" },
    });
    expect(await ask("rm third")).toMatchObject({ isError: true, _meta: { "warder/end": "parked" } });
    expect(await ask("seventh", {}, {})).toMatchObject({ isError: true, _meta: { "warder/end": "parked" } });
    expect([made("fifth"), made("sixth"), made("seventh"), made("third")]).toEqual([false, false, false, true]);
    expect(new Set(messages.match(/^warder: run run-\S+$/gmu)).size).toBe(3);

    expect(runs.filter((run) => containers(run) === "")).toEqual([]);
    // One session ends; the others go on.
    await first.terminate();
    await first.client.close();
    await until("one sandbox is gone", () => runs.filter((run) => containers(run) === "").length === 1);
    expect(await second.call("shell", { command: "echo still here" })).toMatchObject({ isError: false, text: expect.stringContaining("still here") });
    // What runs for a client ends with the server.
    const running = second.call("shell", { command: "sleep 200" }).catch(() => null);
    await until("it runs", async () => (await warder(here, ["audit", "tail", "--json", "--limit", "5"])).stdout.includes("sleep 200"));
    server.kill("SIGTERM");
    expect(await ended).toBe(130);
    await second.client.close();
    await running;
    for (const run of [...messages.matchAll(/^warder: run (run-\S+)$/gmu)].map(([, run = ""]) => run)) expect(containers(run)).toBe("");
    const log = (await warder(here, ["audit", "tail", "--json", "--limit", "200"])).stdout;
    expect(log.match(/"kind":"run-end"/gu)).toHaveLength(3);
    // Its time was not up: it was ended.
    expect(log).toContain('"outcome":"cancelled"');
    expect(log).not.toContain('"outcome":"timed-out"');
    expect(log).not.toContain(token);
    expect((await warder(here, ["approvals", "list", "--json"])).stdout).not.toContain('"pending"');
    expect(await warder(here, ["audit", "verify"])).toMatchObject({ exitCode: 0 });
  });
});
