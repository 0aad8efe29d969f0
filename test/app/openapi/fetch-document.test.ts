import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { confirmDocument, documentsOfRun, lookAtDocument } from "../../../src/app/openapi/documents.ts";
import { fetchDocument } from "../../../src/app/openapi/fetch-document.ts";
import type { Records } from "../../../src/app/records/records.ts";
import type { WorkspaceContext } from "../../../src/app/setup/context.ts";
import { readAudit } from "../../../src/audit/log/read.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { readSettings } from "../../../src/config/settings-file.ts";
import { policyOf, policyText } from "../../policy/bench.ts";
import { serve } from "../../support/mcp/http-server.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  servers: [{ url: "https://shop.example.org/v1" }],
  paths: { "/items": { get: { operationId: "listItems" } } },
};

function records(): Records {
  const store = temporaryStore();
  return { store, audit: { store, clock: systemClock }, approvals: { store, clock: systemClock } };
}

test("a document at an address is read when a person confirms it, and by no run", async () => {
  let asked = 0;
  const url = await serve((_request, response) => {
    asked += 1;
    response.end(JSON.stringify(DOCUMENT));
  });
  const made = records();
  const { directory } = made.store.paths;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "settings.yaml"), `version: 1\nopenapi:\n  shop: { url: "${url}" }\n`, { mode: 0o600 });
  const context = { policy: policyOf(policyText()), workspace: "/project" } as WorkspaceContext;
  const seen = await lookAtDocument(made, context, "shop");
  expect(seen.catalogue.tools.map(({ name }) => name)).toEqual(["listItems"]);
  confirmDocument(made, seen, "ann");
  const { tools, notes } = documentsOfRun(readSettings(directory).openapi, { context, directory, taken: new Set() });
  expect([tools.map(({ name }) => name), notes]).toEqual([["shop__listItems"], []]);
  expect(asked).toBe(1);
  const connections = [...readAudit(made.audit, { kind: "connection" })].map(({ payload }) => [payload["host"], payload["decision"]]);
  expect(connections).toEqual([["127.0.0.1", "allow"]]);
});

test("an address that leads elsewhere, floods, falls silent or has a private name gives no document", async () => {
  const problem = async (url: string): Promise<string> => {
    const read = await fetchDocument(url, records(), 1024 ** 2);
    return "problem" in read ? read.problem : `read: ${read.text.slice(0, 20)}`;
  };
  const away = await serve((_request, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
  expect(await problem(away)).toMatch(/HTTP 302, and leads to http:\/\/127\.0\.0\.1:1\//u);
  const flood = await serve((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write("z".repeat(64 * 1024))) continue;
    };
    response.on("drain", more);
    more();
  });
  expect(await problem(flood)).toBe("it is longer than 1 MiB");
  const gone = await serve((_request, response) => void response.destroy());
  expect(await problem(gone)).toBe("its address answers with HTTP 502");
  expect(await problem("https://localhost/openapi.json")).toMatch(/^its address does not answer/u);
});
