import { readFileSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { readDocument } from "../../../src/sandbox/documents/ask.ts";
import { readPage } from "../../../src/sandbox/documents/page.ts";

const nested = (depth: number): string => `<html><body>${"<div>".repeat(depth)}words${"</div>".repeat(depth)}</body></html>`;

test("a page that is deeper or wider than any is not given to parsers that go as deep", async () => {
  const url = "https://example.org/";
  expect(await readPage(nested(300), url)).toMatchObject({ kind: "text", form: "Markdown", text: "words" });
  expect(await readPage(nested(500), url)).toBeNull();
  expect(await readPage("<p>words".repeat(20_001), url)).toBeNull();
});

test("whoever reads a document has no root, no more memory and time than it was given, and ends with the call that asked", async () => {
  const ending = new AbortController();
  const body = Buffer.from("<b>x</b>".repeat(19_000)).toString("base64");
  const read = readDocument({ mediaType: "text/html", url: "https://example.org/", body, isCut: false }, ending.signal);
  const own = (): readonly string[] => parsers().filter((pid) => /^Uid:\t(?!0\t)/mu.test(readFileSync(`/proc/${pid}/status`, "utf8")));
  await expect.poll(own, { timeout: 20_000, interval: 5 }).toHaveLength(1);
  const [pid = ""] = own();
  expect(readFileSync(`/proc/${pid}/limits`, "utf8")).toMatch(/^Max cpu time +10 .*\nMax file size +0 .*\nMax data size +1073741824 /mu);
  expect(readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(/^CapEff:\t0000000000000000$/mu);
  ending.abort();
  expect(await read).toEqual({ kind: "unread", problem: "it took too long to read" });
  expect(parsers()).toEqual([]);
});

/** The processes that this one started for it. */
function parsers(): readonly string[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/exe`) === process.execPath && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("documents/process");
    } catch (error) {
      void error;
      return false;
    }
  });
}
