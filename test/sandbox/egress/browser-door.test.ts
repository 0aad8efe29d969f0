import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { performRequest } from "../../../src/sandbox/egress/client/perform.ts";
import { startEgress } from "../../../src/sandbox/egress/start.ts";
import { startLocalServers } from "./local-servers.ts";

test("the browser's door leads to the same hosts, adds no credential, and refuses what would take one", async () => {
  const servers = await startLocalServers();
  const credential = {
    id: "a-token",
    secret: { kind: "variable", name: "A" },
    host: "secure.example.org",
    port: servers.https,
    methods: ["GET"],
    paths: ["/v1/**"],
    header: { name: "authorization", value: "Bearer {secret}" },
    otherwise: "refuse",
  } as const;
  const uses: string[] = [];
  const egress = await startEgress({
    directory: join(mkdtempSync(join(tmpdir(), "door-")), "egress"),
    network: { allow: [`127.0.0.1:${servers.http}`, `secure.example.org:${servers.https}`, `127.0.0.1:${servers.https}`], credentials: [credential] },
    names: { "secure.example.org": ["127.0.0.1"] },
    secrets: new Map([["a-token", "the-secret-of-this-test"]]),
    trusted: [servers.certificate],
    hasBrowserDoor: true,
    onConnection: () => undefined,
    onCredentialUse: ({ path }) => uses.push(path) > 0,
  });
  try {
    const door = { ...egress, directory: egress.browserDirectory ?? "" };
    const get = (url: string, way: typeof door) =>
      performRequest(
        { method: "GET", url, headers: [], body: null, redirects: 0, maxBytes: 10_000, timeoutMs: 10_000 },
        { egress: way },
        AbortSignal.timeout(60_000),
      );
    const signed = `https://secure.example.org:${servers.https}/v1/headers`;
    expect(await get(signed, egress as typeof door)).toMatchObject({ kind: "answer", status: 200 });
    expect(uses).toEqual(["/v1/headers"]);
    expect(await get(signed, door)).toMatchObject({ kind: "no-answer", refused: { code: "credential-scope" } });
    expect(uses).toHaveLength(1);
    expect(await get(`http://127.0.0.1:${servers.http}/hello`, door)).toMatchObject({ kind: "answer", status: 200 });
    expect(await get("http://198.51.100.7/", door)).toMatchObject({ kind: "no-answer", refused: { code: "host-not-allowed" } });
  } finally {
    await egress.close();
    servers.close();
  }
});
