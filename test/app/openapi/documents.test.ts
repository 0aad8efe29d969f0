import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { documentsOfRun } from "../../../src/app/openapi/documents.ts";
import { documentValue, readDocumentFile } from "../../../src/config/openapi-file.ts";
import { writePin } from "../../../src/config/state/mcp-pins.ts";
import { apiDigest, type ApiDocument } from "../../../src/openapi/api.ts";
import { catalogueOf } from "../../../src/openapi/operations.ts";
import { shop, SHOP } from "../../openapi/bench.ts";
import { policyOf, policyText } from "../../policy/bench.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const get = (operationId: string, more: object = {}) => ({ get: { operationId, ...more } });

function scene() {
  const root = temporaryDirectory();
  const [file, state, workspace] = ["shop.json", "state", "workspace"].map((name) => join(root, name)) as [string, string, string];
  for (const directory of [state, workspace]) mkdirSync(directory, { mode: 0o700 });
  const api: ApiDocument = { ...SHOP, file };
  const policy = policyOf(policyText());
  return {
    file,
    workspace,
    api,
    write: (document: object) => writeFileSync(file, JSON.stringify(document), { mode: 0o600 }),
    confirm: (of: ApiDocument = api) => {
      const read = readDocumentFile(file);
      if ("problem" in read) throw new Error(read.problem);
      const value = documentValue(read);
      if ("problem" in value) throw new Error(value.problem);
      const { tools } = catalogueOf(of, value.value);
      writePin(state, { server: "shop", digest: apiDigest(of), tools, content: read.digest, by: "ann", confirmedAt: "2026-01-01T00:00:00.000Z" });
    },
    offered: (of: ApiDocument = api) => {
      const { tools, notes } = documentsOfRun([of], { context: { policy, workspace }, directory: state, taken: new Set(["shop__taken"]) });
      return { names: tools.map(({ name }) => name), notes: notes.join("\n") };
    },
  };
}

test("a document that nobody confirmed offers nothing, nor one that the settings name otherwise", () => {
  const { write, confirm, offered, api } = scene();
  write(shop({ "/a": get("a"), "/t": get("taken") }));
  expect(offered()).toEqual({
    names: [],
    notes: "the OpenAPI document shop is not confirmed, so none of its tools is offered. Look at it: warder openapi trust shop",
  });
  confirm();
  expect(offered()).toEqual({ names: ["shop__a"], notes: "" });
  expect(offered({ ...api, server: "https://evil.example.org" }).names).toEqual([]);
});

test("of a document that changed, the tools that changed or went are not offered, and the others are as they were confirmed", () => {
  const { write, confirm, offered } = scene();
  write(shop({ "/a": get("a"), "/b": get("b"), "/c": get("c") }));
  confirm();
  write(shop({ "/a": get("a"), "/other": get("b"), "/new": get("new") }));
  expect(offered()).toEqual({
    names: ["shop__a"],
    notes:
      "the OpenAPI document shop is not as a person confirmed it: b has another request; c is gone. These tools are not offered until somebody looks at it: warder openapi trust shop",
  });
  write({ ...shop({ "/a": get("a") }), servers: [{ url: "https://evil.example.org" }] });
  expect(offered().names).toEqual([]);
});

test("a document that an agent or somebody else could have written is not used, nor one that is gone, too long, too deep or no document", () => {
  const { file, workspace, write, confirm, offered, api } = scene();
  write(shop({ "/a": get("a") }));
  confirm();
  chmodSync(file, 0o666);
  expect(offered().notes).toContain("it may be changed by others (mode 666)");
  chmodSync(file, 0o600);
  const inside = { ...api, file: join(workspace, "shop.json") };
  writeFileSync(inside.file, JSON.stringify(shop({ "/a": get("a") })));
  confirm(inside);
  expect(offered(inside)).toEqual({ names: [], notes: "the OpenAPI document shop is not used: it lies where an agent may write" });
  const linked = { ...api, file: `${file}.link` };
  symlinkSync(inside.file, linked.file);
  confirm(linked);
  expect(offered(linked).notes).toContain("it lies where an agent may write");
  confirm();
  for (const [text, problem] of [
    ["{", "it is not valid JSON"],
    [`{"a":${"[".repeat(300)}`, "nested deeper than 200"],
    ["swagger: '2.0'", "does not say"],
    ["a: [", "it is not valid YAML"],
    [`#${"x".repeat(9 * 1024 * 1024)}`, "YAML longer than 8 MiB"],
    [`{"a":"${"x".repeat(33 * 1024 * 1024)}"}`, "longer than 32 MiB"],
  ] as const) {
    writeFileSync(file, text);
    expect.soft(offered()).toMatchObject({ names: [], notes: expect.stringContaining(problem) as string });
  }
  expect(offered({ ...api, file: "/dev/zero" }).names).toEqual([]);
});
