import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { keepArtifact, readArtifact } from "../../../src/gate/kept/artifacts.ts";
import { defineTool } from "../../../src/tools/contract/define.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { policyText, scene, textOf } from "../gate-scene.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const POLICY = `${policyText({ autonomy: "full" })}tools: { allow: [long, read_artifact] }\n`;

function saying(text: string) {
  const tool = defineTool({ name: "long", description: "", schema: z.object({}), execute: () => text });
  return scene({ policy: POLICY, change: () => ({ tools: createRegistry(BUILT_IN_TOOLS, [tool]) }) });
}

describe("a long result", () => {
  test("is kept, and paging through its artifact yields the whole of it", async () => {
    const whole = Array.from({ length: 60_000 }, (_, index) => `line ${index} ä€𝄞`).join("\n");
    const { call } = saying(whole);
    const end = await call("long", {});
    const artifact = /read_artifact has the whole: (?<id>[0-9a-f]{16})/u.exec(textOf(end))?.groups?.["id"] ?? "none";
    expect(end.result.details?.["artifact"]).toBe(artifact);
    let text = "";
    for (let from = 0, pages = 0; pages < 200; pages += 1) {
      const page = await call("read_artifact", { artifact, from });
      expect([page.kind, page.result.label]).toEqual(["executed", "untrusted"]);
      const [, ...lines] = textOf(page).split("\n");
      const more = /^\[\d+ more bytes; continue with from (?<next>\d+)\]$/u.exec(lines.at(-1) ?? "");
      text += (more === null ? lines : lines.slice(0, -1)).join("\n");
      if (more === null) break;
      from = Number(more.groups?.["next"]);
    }
    expect(text).toBe(whole);
  });

  test("that is shown whole now, and will be cut later, is kept too", async () => {
    const { call } = saying("x".repeat(40_000));
    const end = await call("long", {});
    expect(textOf(end)).toBe("x".repeat(40_000));
    expect(end.result.details?.["artifact"]).toMatch(/^[0-9a-f]{16}$/u);
  });

  test("of 50 MB goes to the model as 400 KB", async () => {
    const { call } = saying("y".repeat(50 * 1024 * 1024));
    expect(Buffer.byteLength(textOf(await call("long", {})))).toBeLessThanOrEqual(400_000);
  });
});

describe("an artifact", () => {
  const place = () => ({ artifacts: temporaryDirectory(), runId: "run-1" });

  test.each(["../x", "../../state/warder.db", "..", "", "0123456789abcdef/../x", "0123456789ABCDEF", "0123456789abcde\0"])("is no other file: %j", (id) => {
    const at = place();
    mkdirSync(join(at.artifacts, "run-1"), { recursive: true });
    writeFileSync(join(at.artifacts, "x.txt"), "secret");
    expect(readArtifact(at, id, 0, 100)).toBe(null);
  });

  test("of another run is not there", async () => {
    const made = saying("");
    const id = keepArtifact({ artifacts: made.store.paths.artifacts, runId: "run-other" }, "call-1", { text: "theirs", labels: [] }) ?? "";
    expect(textOf(await made.call("read_artifact", { artifact: id }))).toContain("no such artifact");
  });

  test("is read in whole characters from any byte on, and every part of it once", () => {
    const at = place();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 4, max: 40 }), (text, length) => {
        const clean = text.toWellFormed();
        const id = keepArtifact(at, "call", { text: clean, labels: [] }) ?? "";
        let read = "";
        for (let from = 0, page = readArtifact(at, id, 0, length); page !== null && page.from < page.total; page = readArtifact(at, id, from, length)) {
          expect(page.next).toBeGreaterThan(from - 1);
          read += page.text;
          if (page.next === from) break;
          from = page.next;
        }
        expect(read).toBe(clean);
      }),
      { numRuns: 200 },
    );
  });
});
