import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { reach } from "../../../src/app/mcp/reach.ts";
import { readAudit } from "../../../src/audit/log/read.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { NOTES } from "../../mcp/server-process.ts";
import { listen, portOf } from "../../sandbox/egress/local-servers.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

test("a server at an address is reached through a proxy of its own, and nothing else is", async () => {
  const store = temporaryStore();
  const audit = { store, clock: systemClock };
  const server = createServer((_request, response) => response.end("here"));
  await listen(server);
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${String(portOf(server))}/mcp`;
  const { fetched, close } = await reach({ ...NOTES, url }, { records: { store, audit, approvals: audit }, runId: null });
  expect(await (await fetched(url)).text()).toBe("here");
  await expect(fetched("https://example.org/")).rejects.toThrow(/^example\.org: /u);
  await expect(fetched("http://127.0.0.1:1/")).rejects.toThrow(/^127\.0\.0\.1:1: /u);
  await close();
  server.closeAllConnections();
  const records = [...readAudit(audit, { kind: "connection" })].map(({ payload }) => [payload["host"], payload["decision"]]);
  expect(records).toEqual([
    ["127.0.0.1", "allow"],
    ["example.org", "deny"],
    ["127.0.0.1", "deny"],
  ]);
  expect(readdirSync(store.paths.runs)).toEqual([]);
});
