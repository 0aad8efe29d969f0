import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { serveAcp } from "../../../src/serve/acp/server.ts";
import { once } from "../../support/until.ts";

/** A connection without a client: what is written is bytes. */
function connection() {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  const said: string[] = [];
  const ended = serveAcp({
    input,
    output,
    signal: stop.signal,
    version: "1",
    named: { policy: "read-only", model: "scripted:none.yaml" },
    mayAnswer: true,
    say: (text) => void said.push(text),
  });
  let text = "";
  const answers = async (count: number): Promise<readonly Record<string, unknown>[]> => {
    while (text.split("\n").length <= count) text += String((await once(output, "data"))[0]);
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { input, output, stop, ended, answers };
}

const message = (id: unknown, method: string, params: unknown = {}): string => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const HELLO = message(1, "initialize", { protocolVersion: 1 });

test("answers frames that come in pieces, and refuses what comes before the first word", async () => {
  const { input, ended, answers } = connection();
  input.write(message(0, "session/new", { cwd: "/", mcpServers: [] }));
  for (const byte of Buffer.from(HELLO)) input.write(Buffer.of(byte));
  const [early, hello] = await answers(2);
  expect(early).toMatchObject({ id: 0, error: { code: -32_600 } });
  expect(hello).toMatchObject({ id: 1, result: { agentInfo: { name: "warder", version: "1" } } });
  input.write(message(2, "session/prompt", { sessionId: "__proto__", prompt: [{ type: "text", text: "Go." }] }));
  input.write(message(3, "session/prompt", { sessionId: 7 }));
  input.write(message(4, "session/new", { cwd: "relative", mcpServers: [] }));
  input.write(message(5, "authenticate", { methodId: "x" }));
  input.write(message(6, "fs/read_text_file", {}));
  input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "nobody" } })}\n`);
  const rest = (await answers(7)).slice(2);
  expect(rest.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]).toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
    [2, -32_002],
    [3, -32_602],
    [4, -32_602],
    [5, -32_600],
    [6, -32_601],
  ]);
  input.end();
  expect(await ended).toBe("the editor closed its end");
});

test("ends at a message without end, when it is stopped, and when nobody reads any more", async () => {
  const long = connection();
  long.input.write(HELLO);
  long.input.end(`{"jsonrpc":"2.0","id":"${"a".repeat(13 * 1024 * 1024)}"}\n`);
  long.output.resume();
  expect(await long.ended).toBe("a message was too long");
  const stopped = connection();
  stopped.stop.abort();
  expect(await stopped.ended).toBe("it was stopped");
  const deaf = connection();
  deaf.output.on("error", () => undefined);
  deaf.output.destroy();
  deaf.input.write(HELLO);
  expect(await deaf.ended).toBe("the editor closed its end");
});
