import { execFileSync, type ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { openState } from "../support/open-state.ts";
import { place } from "../support/test-place.ts";
import { until } from "../support/until.ts";
import { type Place, startWarder, warder } from "../support/warder-cli.ts";

type Answer = {
  readonly id?: number | string;
  readonly result?: Record<string, unknown> & { content?: { text: string }[] };
  readonly error?: { code: number };
};

/** A client that sends whatever it wants. */
type RawClient = {
  readonly child: ChildProcess;
  readonly write: (text: string) => void;
  readonly send: (message: Readonly<Record<string, unknown>>) => void;
  readonly callTool: (id: number | string, name: unknown, input: unknown) => void;
  readonly answer: (id: number | string) => Promise<Answer>;
  readonly answers: () => readonly Answer[];
  /** What came on standard output and was no message. */
  readonly noise: () => readonly string[];
  readonly messages: () => string;
  readonly ended: Promise<number | null>;
};

function rawClient(here: Place, argv: readonly string[] = []): RawClient {
  const child = startWarder(here, ["mcp", ...argv]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let rest = "";
  let messages = "";
  const answers: Answer[] = [];
  const noise: string[] = [];
  child.stdin?.on("error", () => undefined);
  child.stderr?.on("data", (text: Buffer) => (messages += text.toString()));
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const value = JSON.parse(line) as Answer & { jsonrpc?: string };
      if (value.jsonrpc === "2.0") answers.push(value);
      else noise.push(line);
    }
  });
  const write = (text: string): void => void child.stdin?.write(text);
  const send: RawClient["send"] = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer: RawClient["answer"] = async (id) => {
    await until(`call ${String(id)} is answered`, () => answers.some((each) => each.id === id));
    return answers.find((each) => each.id === id) ?? {};
  };
  return {
    child,
    write,
    send,
    callTool: (id, name, input) => send({ id, method: "tools/call", params: { name, arguments: input } }),
    answer,
    answers: () => answers,
    noise: () => noise,
    messages: () => messages,
    ended: new Promise((resolve) => child.on("exit", resolve)),
  };
}

const INITIALIZE = {
  id: "hello",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "\u001B[31mhostile\n", version: "1" } },
};
const textOf = ({ result }: Answer): string => result?.content?.[0]?.text ?? "";
const containers = (run: string): string =>
  execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`], { encoding: "utf8" }).trim();
const runOf = (messages: string): string => /^warder: run (run-\S+)$/mu.exec(messages)?.[1] ?? "";

describeWithDocker("an MCP client that is hostile", () => {
  test("gets one answer for each request that is one, and runs nothing else; a long line, its going and SIGTERM end the session", async () => {
    // 15: 12 MB without an end.
    const there = place();
    const long = rawClient(there);
    for (let part = 0; part < 12; part += 1) long.write("x".repeat(1024 * 1024));
    long.child.stdin?.end();
    // 16: killed as it reads nothing, in the middle of a command.
    const killed = rawClient(there);
    killed.callTool(1, "shell", { command: "sleep 200" });
    // 17: it goes on living, writes, and reads nothing; what it is told does not fit into a pipe.
    const stopped = rawClient(there);
    stopped.child.stdout?.pause();
    for (let index = 0; index < 200; index += 1) stopped.send({ id: index, method: "tools/list" });
    const here = place();
    writeFileSync(join(here.workspace, "file"), "content\n");
    const { write, send, callTool, answer, answers, noise, messages, child, ended } = rawClient(here);
    // 1: a call before anything was said.
    callTool("early", "shell", { command: "touch made" });
    expect(textOf(await answer("early"))).toContain("waits for a person");
    send(INITIALIZE);
    expect((await answer("hello")).result).toMatchObject({ serverInfo: { name: "warder" } });
    // 2 to 6: no JSON, no message, bytes that are no text, a batch, an answer to nothing.
    write("rubbish\n\n{}\n[]\nnull\n".repeat(20));
    child.stdin?.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    write('[{"jsonrpc":"2.0","id":"batched","method":"ping"}]\n');
    send({ id: 999, result: { action: "accept", content: {} } });
    // 7 and 8: methods that there are not, notifications that there are not, a cancellation of nothing.
    send({ id: "unknown", method: "resources/steal", params: {} });
    send({ method: "notifications/steal", params: { a: 1 } });
    send({ method: "notifications/cancelled", params: { requestId: "nothing", reason: "x".repeat(10_000) } });
    expect((await answer("unknown")).error?.code).toBe(-32_601);
    // 9: names that are none, and the prototype's.
    for (const [index, name] of ["", "__proto__", "constructor", "x".repeat(100_000), "shell\u0000", "verdict "].entries()) callTool(`name-${index}`, name, {});
    for (let index = 0; index < 6; index += 1) expect(textOf(await answer(`name-${index}`))).toContain("Tool not found");
    callTool("number", 7, {});
    expect((await answer("number")).error).toBeDefined();
    // 10: arguments that claim what is not a call's to choose, of the wrong kinds, and lone surrogates.
    const odd: readonly unknown[] = [
      { command: "touch made", approved: true },
      { command: 7 },
      { command: "touch made", __proto__: null, constructor: {} },
      { command: "echo \uD800" },
      {},
    ];
    for (const [index, input] of odd.entries()) callTool(`odd-${index}`, "shell", input);
    write('{"jsonrpc":"2.0","id":"proto","method":"tools/call","params":{"name":"shell","arguments":{"__proto__":{"command":"touch made"}}}}\n');
    for (const id of [...odd.map((_, index) => `odd-${index}`), "proto"]) expect((await answer(id)).result).toMatchObject({ isError: true });
    // 11: arguments as deep as a stack, and more of them than anybody reads.
    write(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"shell","arguments":{"command":${"[".repeat(5_000)}${"]".repeat(5_000)}}}}\n`);
    expect(textOf(await answer("deep"))).toContain("nested deeper");
    callTool("wide", "verdict", Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index])));
    expect((await answer("wide")).result).toMatchObject({ isError: true });
    // 12: one identifier for two calls, and a call in two halves.
    callTool("twice", "read_file", { path: "file" });
    callTool("twice", "read_file", { path: "file" });
    const halves = JSON.stringify({ jsonrpc: "2.0", id: "halves", method: "tools/call", params: { name: "read_file", arguments: { path: "file" } } });
    write(halves.slice(0, 40));
    await until("both are answered", () => answers().filter(({ id }) => id === "twice").length === 2);
    write(`${halves.slice(40)}\n`);
    expect(textOf(await answer("halves"))).toContain("content");
    // 13: a thousand at once.
    for (let index = 0; index < 1_000; index += 1) callTool(index, index % 2 === 0 ? "no_such_tool" : "verdict", index % 2 === 0 ? {} : { tool: "shell" });
    await until("all are answered", () => answers().filter(({ id }) => typeof id === "number").length === 1_000);
    expect(new Set(answers().map(({ id }) => id)).size).toBe(answers().length - 1);

    expect(noise()).toEqual([]);
    expect(existsSync(join(here.workspace, "made"))).toBe(false);
    expect(messages().split("\n").length).toBeLessThan(15);
    // 14: half a call, and then the end. What was asked about is nobody's to answer any more.
    callTool("last", "shell", { command: "sleep 20" });
    await until("it runs", () => openState(here).permits("sleep 20") === 1);
    child.stdin?.end(halves.slice(0, 40));
    expect(await ended).toBe(0);
    expect(containers(runOf(messages()))).toBe("");
    expect((await warder(here, ["audit", "tail", "--json", "--kind", "outcome"])).stdout).toContain('"outcome":"cancelled"');
    expect((await warder(here, ["approvals", "list", "--json"])).stdout).not.toContain('"pending"');
    expect(await warder(here, ["audit", "verify"])).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining("the log stops here") });

    await until("it runs", () => openState(there).permits("sleep 200") === 1);
    killed.child.stdout?.destroy();
    killed.child.stdin?.destroy();
    await until("it serves", () => runOf(stopped.messages()) !== "");
    stopped.child.kill("SIGTERM");
    expect(await Promise.all([long.ended, killed.ended, stopped.ended])).toEqual([0, expect.any(Number), 130]);
    expect(long.messages()).toContain("exceeded maximum size");
    for (const each of [long, killed, stopped]) expect(containers(runOf(each.messages()))).toBe("");
    const ends = (await warder(there, ["audit", "tail", "--json", "--kind", "run-end"])).stdout;
    expect(ends.match(/"ending":"done"/gu)).toHaveLength(3);
  });
});
