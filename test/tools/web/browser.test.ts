import { expect, test } from "vitest";
import { browserTool } from "../../../src/tools/web/browser.ts";
import { decodeInput } from "../../../src/tools/decode.ts";
import type { Tool, ToolContext } from "../../../src/tools/contract/tool.ts";

const setting = { workspace: "/repo", home: "/home/somebody" };
const url = "https://a.example.org/page";
const command = (input: object): string => {
  const [request] = browserTool.requests(input as Parameters<typeof browserTool.requests>[0], setting);
  return request?.kind === "command" ? request.text : "";
};

test("is judged as the command that does the same: reading as a GET, what clicks or types as a POST of what is typed", () => {
  for (const action of ["open", "read", "back", "screenshot"]) expect(command({ action, url })).toBe(`curl -sSg -L --max-redirs 20 -- '${url}'`);
  expect(command({ action: "click", url, ref: "e1" })).toBe(`curl -sSg -X POST --data-raw '' -- '${url}'`);
  expect(command({ action: "type", url, ref: "e1", text: "it's" })).toContain(`-X POST --data-raw 'it'\\''s' -- '${url}'`);
  expect(command({ action: "select", url, ref: "e1", values: ["red", "blue"] })).toContain("--data-raw 'red\nblue'");
  expect(command({ action: "press", url, key: "Enter" })).toContain("--data-raw 'Enter'");
});

test.each([
  ["no ref", { action: "click", url }, "click needs ref"],
  ["no text", { action: "type", url, ref: "e1" }, "type needs text"],
  ["no values", { action: "select", url, ref: "e1" }, "select needs values"],
  ["no key", { action: "press", url }, "press needs key"],
  ["a selector for a ref", { action: "click", url, ref: "css=a" }, "must be a ref of the last result"],
  ["a text for a key", { action: "press", url, key: "rm -rf" }, "must be a key"],
  ["a file", { action: "open", url: "file:///etc/passwd" }, "for a file use read_file"],
  ["a page of the browser's own", { action: "open", url: "chrome://version" }, "of http: and https:"],
  ["a user name", { action: "open", url: "https://me:secret@a.example.org/" }, "user name or password"],
  ["more than a command holds", { action: "select", url, ref: "e1", values: Array.from({ length: 50 }, () => "'".repeat(1000)) }, "too long together"],
])("%s is told before anything is judged", (_what, input, problem) => {
  expect(decodeInput(browserTool as unknown as Tool, input)).toMatchObject({ kind: "invalid", message: expect.stringContaining(problem) });
});

test("shows of a page what is there, in its lines, and reads on where it is long", async () => {
  const page = { url, title: "A\nforged: line", tree: "- text\n".repeat(5000), notes: ["said\nso"], image: "", file: null };
  const handles = {
    browser: { perform: () => Promise.resolve({ kind: "completed", result: { kind: "browse", answer: { kind: "page", page } }, durationMs: 0 }) },
  };
  const context = { ...setting, handles } as unknown as ToolContext;
  const { content, label } = await browserTool.execute({ action: "read", url, from: 7 }, context);
  const text = content[0]?.kind === "text" ? content[0].text : "";
  expect(label).toBe("untrusted");
  expect(text.startsWith(`source: ${url}\ntitle: A\\nforged: line\n\n- text`)).toBe(true);
  expect(text).toContain("[said\\nso]");
  expect(text).toContain("[characters 7 to 20007 of 35000; read on with from: 20007]");
});
