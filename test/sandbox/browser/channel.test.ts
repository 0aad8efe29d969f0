import { existsSync, mkdtempSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Channel, openChannel, ORDERS_SOCKET } from "../../../src/sandbox/browser/channel.ts";
import { once } from "../../support/until.ts";

const opened: Channel[] = [];
afterEach(() => {
  for (const channel of opened.splice(0)) channel.close();
});
const never = new AbortController().signal;

async function channelWithDriver(): Promise<{ readonly channel: Channel; readonly driver: Socket; readonly path: string }> {
  const channel = await openChannel(join(mkdtempSync(join(tmpdir(), "browser-")), "orders"));
  opened.push(channel);
  const path = join(channel.directory, ORDERS_SOCKET);
  const driver = connect(path).on("error", () => undefined);
  await once(driver, "connect");
  return { channel, driver, path };
}

test("orders go out and answers come in, a line each, however they are cut", async () => {
  const { channel, driver } = await channelWithDriver();
  driver.write('{"kind":"rea');
  driver.write('dy"}\n');
  expect(await channel.next(60_000, never)).toBe('{"kind":"ready"}');
  channel.say({ url: "https://a.example.org/", deed: { kind: "open" }, timeoutMs: 1000 });
  const [said] = (await once(driver, "data")) as [Buffer];
  expect(JSON.parse(said.toString())).toMatchObject({ url: "https://a.example.org/" });
});

test("there is one driver: the first that comes", async () => {
  const { channel, path } = await channelWithDriver();
  const other = connect(path);
  await expect(once(other, "connect")).rejects.toThrow(/ECONNREFUSED|ENOENT/u);
  channel.close();
  expect(existsSync(channel.directory)).toBe(false);
});

test("a line without end, lines that nobody asked for, and an end of the driver end the channel", async () => {
  const endless = await channelWithDriver();
  for (let count = 0; count < 20; count += 1) endless.driver.write(Buffer.alloc(1024 * 1024, "x"));
  expect(await endless.channel.next(60_000, never)).toBeNull();
  const talkative = await channelWithDriver();
  talkative.driver.write("a\nb\nc\nd\n");
  await once(talkative.driver, "close");
  const gone = await channelWithDriver();
  gone.driver.end();
  expect(await gone.channel.next(60_000, never)).toBeNull();
});

test("nobody waits for a driver that says nothing, or after the call was cancelled", async () => {
  const { channel } = await channelWithDriver();
  expect(await channel.next(1, never)).toBeNull();
  expect(await channel.next(60_000, AbortSignal.abort())).toBeNull();
});
