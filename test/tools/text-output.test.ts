import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cutMiddle } from "../../src/base/cut.ts";
import { selectLines } from "../../src/tools/files/lines.ts";
import { describeEnding } from "../../src/tools/contract/result.ts";
import { searchArguments } from "../../src/tools/search/grep.ts";
import { renderMatches } from "../../src/tools/search/output.ts";
import { renderShellOutcome } from "../../src/tools/commands/shell.ts";
import { decodeTextFile } from "../../src/tools/files/text-file.ts";

const select = (text: string, offset: number, limit?: number, maxBytes = 1000) => selectLines(text, { offset, limit, maxBytes });

test("selects lines from a 1-based offset and says how to go on", () => {
  expect(select("a\nb\nc\nd\n", 2, 2)).toEqual({ summary: "lines 2-3 of 4", text: "b\nc\n", continuation: "\n[1 more lines; continue with offset 4]" });
  expect(select("a\nb", 1)).toEqual({ summary: "lines 1-2 of 2", text: "a\nb", continuation: "" });
  expect(select("a\nb", 3)).toEqual({ summary: "no line 3, the file has 2", text: "", continuation: "" });
  expect(select("", 1)).toEqual({ summary: "empty file", text: "", continuation: "" });
});

test("stops at whole lines before the output is too large", () => {
  expect(select("aaaa\nbbbb\ncccc\n", 1, undefined, 10)).toEqual({
    summary: "lines 1-2 of 3",
    text: "aaaa\nbbbb\n",
    continuation: "\n[1 more lines; continue with offset 3]",
  });
});

test("cuts a line that alone is too large, on a character boundary", () => {
  const part = select(`${"ä".repeat(20)}\nb\n`, 1, undefined, 11);
  expect(part.text).toBe("äääää\n[… the rest of this line is cut …]\n");
  expect(part.continuation).toContain("offset 2");
});

test("reading on by the hints yields the whole file", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ maxLength: 12 }).map((line) => line.replaceAll("\n", "")),
        { minLength: 1, maxLength: 30 },
      ),
      (lines) => {
        const file = lines.map((line) => `${line}\n`).join("");
        let read = "";
        for (let offset = 1; ;) {
          const part = select(file, offset, undefined, 64);
          read += part.text;
          const next = /offset (\d+)\]$/u.exec(part.continuation)?.[1];
          if (next === undefined) break;
          offset = Number(next);
        }
        expect(read).toBe(file);
      },
    ),
  );
});

test("tells binary, exact and inexact text apart", () => {
  expect(decodeTextFile(Buffer.from("a\0b"))).toBeNull();
  expect(decodeTextFile(Buffer.from("\uFEFFa"))).toEqual({ text: "a", hasByteOrderMark: true, encoding: "UTF-8", isExact: true });
  expect(decodeTextFile(Buffer.from([0xc3, 0xa4, 0xff]))).toEqual({ text: "ä\uFFFD", hasByteOrderMark: false, encoding: "UTF-8", isExact: false });
  expect(decodeTextFile(Buffer.from("a\uFFFD"))).toEqual({ text: "a\uFFFD", hasByteOrderMark: false, encoding: "UTF-8", isExact: true });
});

test("cuts the middle of a text once, never through a surrogate pair", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 100, maxLength: 2000 }), (text) => {
      const cut = cutMiddle(text, 300);
      expect(cut.length).toBeLessThanOrEqual(300);
      expect(cut.isWellFormed()).toBe(text.isWellFormed());
      expect(cutMiddle(cut, 300)).toBe(cut);
    }),
  );
});

test("attaches what a model says to its option, so that it is no option itself", () => {
  const built = searchArguments({ pattern: "--pre=sh", glob: "--no-ignore" });
  expect(built).toContain("--regexp=--pre=sh");
  expect(built).toContain("--glob=--no-ignore");
  expect(built.every((argument) => argument.startsWith("--"))).toBe(true);
  expect(built).not.toContain("--pre=sh");
});

const view = { maxPerFile: 2, maxFiles: 2, show: (path: string) => path.replace("/repo/", "") };

test("groups matches by file and states each cut", () => {
  const output = "/repo/a\u00001:one\n/repo/a\u00002-between\n/repo/a\u00003:two\n/repo/a\u00004:three\n--\n/repo/b\u00009:four\n/repo/c\u00001:five\n";
  expect(renderMatches(output, { ...view, mode: "content" })).toEqual({
    text: "a\n1:one\n2-between\n3:two\n[more matches in this file]\n\nb\n9:four\n[1 more files match; narrow the search]",
    files: 3,
  });
});

test("lists names and counts with the same caps", () => {
  expect(renderMatches("/repo/a\0/repo/b\0/repo/c\0", { ...view, mode: "files" })).toEqual({ text: "a\nb\n[1 more files match; narrow the search]", files: 3 });
  expect(renderMatches("/repo/a\u00003\n/repo/b\u00001\n", { ...view, mode: "count" })).toEqual({ text: "a: 3\nb: 1", files: 2 });
});

const stream = (text: string, cutBytes = 0) => ({ text, totalBytes: text.length + cutBytes, cutBytes });
const exec = { kind: "exec" as const, exitCode: 3, signal: null, stdout: stream("out"), stderr: stream("err\n", 7) };

test("a command that failed is a result with its exit code", () => {
  const result = renderShellOutcome({ kind: "completed", result: exec, durationMs: 5 });
  expect(result).toMatchObject({
    isError: false,
    label: "untrusted",
    content: [{ kind: "text", text: "exit code: 3\nstdout:\nout\nstderr (7 of 11 bytes cut from the middle):\nerr\n" }],
  });
});

test("a command that was stopped is an error and keeps what it had said", () => {
  const result = renderShellOutcome({ kind: "timed-out", partial: exec, durationMs: 5 });
  expect(result.isError).toBe(true);
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining("Timed out and was stopped: the command.\nstdout:\nout") });
});

test("each way of ending has its fixed words", () => {
  const durationMs = 1;
  expect([
    describeEnding({ kind: "timed-out", partial: null, durationMs }, "x"),
    describeEnding({ kind: "output-limit", partial: null, durationMs }, "x"),
    describeEnding({ kind: "cancelled", partial: null, durationMs }, "x"),
    describeEnding({ kind: "denied", reason: "no", durationMs }, "x"),
    describeEnding({ kind: "failed", code: "not-found", reason: "ENOENT", durationMs }, "x"),
    describeEnding({ kind: "failed", code: "new-code", reason: "?", durationMs }, "x"),
  ]).toEqual([
    "Timed out and was stopped: x.",
    "Stopped because it wrote more than the output limit: x.",
    "Cancelled: x.",
    "Denied: x: no",
    "Failed: x. There is no such file or directory.",
    "Failed: x. The sandbox reported an unknown failure.",
  ]);
});
