import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { difference } from "../../../src/gate/facts/changed-facts.ts";
import { hostFacts } from "../../../src/gate/facts/host-facts.ts";
import { measure } from "../../../src/gate/facts/measure.ts";
import type { Request } from "../../../src/policy/request.ts";
import { policyOf, policyText } from "../../policy/bench.ts";

test("what a server touches is measured below its roots, and anew before it is called", async () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "warder-test-")));
  onTestFinished(() => {
    rmSync(top, { recursive: true });
  });
  mkdirSync(join(top, "notes"));
  writeFileSync(join(top, "secret"), "x");
  writeFileSync(join(top, "notes/a"), "one");
  symlinkSync("../secret", join(top, "notes/link"));
  const place = { server: "notes", roots: [{ path: join(top, "notes"), access: "read-write" as const }] };
  const requests = (["a", "link"] as const).map((name): Request => ({ kind: "server-path", use: "write", path: join(top, "notes", name), place }));
  // The run's own source sees other files at these paths.
  const elsewhere = { ...hostFacts([]), resolve: () => Promise.resolve([]) };
  const look = (): ReturnType<typeof measure> => measure({ policy: policyOf(policyText("autonomy: full")), source: elsewhere }, requests);
  const before = await look();
  expect([...(before.served.get("notes")?.paths.values() ?? [])]).toMatchObject([
    { real: join(top, "notes/a"), type: "file" },
    { real: join(top, "secret"), type: "other" },
  ]);
  expect(difference(before, await look())).toBeNull();
  writeFileSync(join(top, "notes/a"), "two");
  expect(difference(before, await look())).toContain("which the MCP server notes would write, was changed since this was decided");
  rmSync(join(top, "notes/a"));
  symlinkSync("../secret", join(top, "notes/a"));
  expect(difference(before, await look())).toContain("notes/a is not what it was when this was decided");
});
