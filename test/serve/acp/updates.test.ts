import { describe, expect, test } from "vitest";
import type { AgentEvent, RunEvent } from "../../../src/agent/events.ts";
import { codeBlock, inlineCode } from "../../../src/serve/text/markdown.ts";
import { wordsOf } from "../../../src/serve/acp/prompt-words.ts";
import { hunkIn, shownCall } from "../../../src/serve/acp/shown-call.ts";
import { createUpdates, replayed } from "../../../src/serve/acp/updates.ts";
import { describeChange } from "../../../src/tools/files/diff.ts";

const setting = { workspace: "/w", home: "/home/ann" };
const event = (what: RunEvent): AgentEvent => ({ runId: "run-1", atMs: 0, ...what });
const ruling = (callId: string, tool: string, input: unknown): AgentEvent =>
  event({ kind: "ruling", input, ruling: { callId, tool } as (RunEvent & { kind: "ruling" })["ruling"] });

describe("what an editor is told of a run", () => {
  test("is each call with kind, place and answer", () => {
    const { take } = createUpdates(setting);
    const calls = [{ callId: "c1", name: "str_replace", input: { file_path: "src/a.ts" } }];
    expect(take(event({ kind: "message-end", turn: 1, text: "", calls, finish: "tool-calls" }))).toEqual([
      {
        sessionUpdate: "tool_call",
        toolCallId: "c1",
        status: "pending",
        title: "`str_replace` `src/a.ts`",
        kind: "edit",
        locations: [{ path: "/w/src/a.ts" }],
      },
    ]);
    take(ruling("c1", "edit_file", { path: "src/a.ts" }));
    expect(take(event({ kind: "tool-start", callId: "c1", tool: "edit_file" }))).toMatchObject([{ toolCallId: "c1", status: "in_progress" }]);
    const text = `[untrusted output]\nEdited src/a.ts (1 replaced).\n${describeChange("one\ntwo\n", "one\nthree\n")}`;
    expect(take(event({ kind: "tool-result", callId: "c1", tool: "edit_file", ending: "executed", isError: false, text }))).toEqual([
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "completed",
        content: [{ type: "diff", path: "/w/src/a.ts", oldText: "one\ntwo", newText: "one\nthree" }],
        locations: [{ path: "/w/src/a.ts", line: 1 }],
      },
    ]);
    expect(take(event({ kind: "tool-result", callId: "c2", tool: "shell", ending: "denied", isError: true, text: "Denied" }))).toMatchObject([
      { status: "failed", content: [{ type: "content", content: { text: "```\nDenied\n```" } }] },
    ]);
    expect(take(event({ kind: "message-end", turn: 2, text: "", calls, finish: "error" }))).toEqual([]);
  });

  test("is the list of what is to be done as a plan, of todo_write alone", () => {
    const { take } = createUpdates(setting);
    const value = { todos: [{ content: "Look\u202E.", status: "in_progress" }] };
    expect(take(event({ kind: "tool-update", callId: "c1", value }))).toEqual([]);
    take(ruling("c1", "todo_write", {}));
    expect(take(event({ kind: "tool-update", callId: "c1", value }))).toEqual([
      { sessionUpdate: "plan", entries: [{ content: "Look\\u{202e}.", priority: "medium", status: "in_progress" }] },
    ]);
    expect(take(event({ kind: "tool-update", callId: "c1", value: { todos: [{ content: 1 }] } }))).toEqual([]);
  });

  test("is who asked, also for a sub-agent, whose calls are its parent's", () => {
    const { take, askedBy } = createUpdates(setting);
    const asks = (approvalId: string): AgentEvent => event({ kind: "approval-requested", callId: "inner", approvalId, rule: "r" });
    take(asks("a1"));
    take(event({ kind: "child-event", callId: "outer", event: event({ kind: "child-event", callId: "middle", event: asks("a2") }) }));
    expect([askedBy("a1"), askedBy("a2"), askedBy("a3")]).toEqual(["inner", "outer", null]);
  });

  test("is what the model says, with words of two turns apart", () => {
    const { take } = createUpdates(setting);
    const texts = [
      take(event({ kind: "message-start", turn: 1 })),
      take(event({ kind: "message-delta", turn: 1, text: "One." })),
      take(event({ kind: "message-start", turn: 2 })),
      take(event({ kind: "message-delta", turn: 2, text: "\u001B[2JTwo." })),
    ];
    const text = { type: "text" } as const;
    expect(texts.flat()).toEqual(
      ["One.", "\n\n", "\\u{1b}[2JTwo."].map((each) => ({ sessionUpdate: "agent_message_chunk", content: { ...text, text: each } })),
    );
  });

  test("is a conversation that was, call by call", () => {
    const said = replayed({ kind: "call", callId: "c1", name: "shell", input: { command: "ls" }, result: null }, setting);
    expect(said).toMatchObject([
      { sessionUpdate: "tool_call", kind: "execute", title: "`shell` `ls`" },
      { toolCallId: "c1", status: "failed" },
    ]);
    expect(replayed({ kind: "person", text: "Go." }, setting)).toMatchObject([{ sessionUpdate: "user_message_chunk" }]);
  });
});

test("a hunk becomes two texts only as a whole", () => {
  expect(hunkIn(describeChange("", "a\nb\n"), "/w/a")).toMatchObject({ diff: { oldText: null, newText: "a\nb" }, line: 1 });
  expect(hunkIn(describeChange("x\n".repeat(500), "y\n".repeat(500)), "/w/a")).toBeNull();
  for (const text of ["", "(no change)", "@@ -1,2 +1,2 @@", "@@ -1,1 +1,1 @@\n-a\nb", "@@ -1,99999999 +1,1 @@\n-a"]) expect(hunkIn(text, "/w/a")).toBeNull();
});

test("names of tools and arguments are shown as they are, and make no Markdown", () => {
  expect(shownCall("no``such", { url: "![x](http://evil)" }, setting)).toEqual({
    title: "``` no``such ``` `![x](http://evil)`",
    kind: "other",
    locations: [],
  });
  for (const input of [null, 7, [], { path: 7, files: [null, { path: [] }] }, { command: { a: 1 } }])
    expect(shownCall("read_file", input, setting).locations).toEqual([]);
  expect(shownCall("read_file", { files: [{ path: "a" }, { path: "~/b" }] }, setting).locations).toEqual([{ path: "/w/a" }, { path: "/home/ann/b" }]);
  expect(shownCall("read_file", { path: "x".repeat(1_000) }, setting).title.length).toBeLessThan(250);
  expect(inlineCode("a\n`b`")).toBe("`` a\\n`b` ``");
  expect(codeBlock("a\n````\nb")).toBe("`````\na\n````\nb\n`````");
  expect(codeBlock("a".repeat(100_000)).length).toBeLessThan(20_100);
});

test("a prompt is text and names of files", () => {
  const link = (uri: string) => ({ type: "resource_link", name: "a", uri }) as const;
  expect(wordsOf([{ type: "text", text: "Look at " }, link("file:///w/a%20b.ts"), link("https://h/x"), link("file://host/x")])).toEqual({
    text: "Look at /w/a b.tshttps://h/xfile://host/x",
  });
  for (const prompt of [
    [],
    [{ type: "text", text: " \n" }],
    [{ type: "text", text: "a".repeat(200_001) }],
    [{ type: "audio", data: "", mimeType: "audio/wav" }],
    [{ type: "resource", resource: { uri: "file:///w/a", text: "a" } }],
  ] as const)
    expect(() => wordsOf(prompt)).toThrow(/^Invalid params: /u);
});

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const image = (content: Buffer, mimeType = "image/png") => ({ type: "image", data: content.toString("base64"), mimeType }) as const;
const large = Buffer.concat([PNG, Buffer.alloc(3_750_000 - PNG.length)]);

test("images of a prompt stand where they stood, and are what their bytes say", () => {
  expect(wordsOf([{ type: "text", text: "What is on " }, image(PNG, "image/gif"), { type: "text", text: "?" }])).toEqual({
    text: "What is on [image 1]?",
    images: [{ name: "image 1", mediaType: "image/png", base64: PNG.toString("base64") }],
  });
  expect(wordsOf([image(PNG), image(PNG)])).toMatchObject({ text: "[image 1][image 2]", images: { length: 2 } });
});

test.each([
  ["what is no image", [image(Buffer.from("<svg/>"), "image/svg+xml")], "image 1 is not sent: it is no PNG, JPEG, GIF or WebP image."],
  ["no bytes at all", [{ type: "image", data: "%", mimeType: "image/png" } as const], "image 1 is not sent: it is no PNG, JPEG, GIF or WebP image."],
  ["one that is too large", [image(Buffer.concat([large, PNG]))], "image 1 is not sent: it is larger than 3.75 MB."],
  ["too many", Array.from({ length: 9 }, () => image(PNG)), "image 9 is not sent: a message takes at most 8 images."],
  ["too much together", [image(large), image(large), image(PNG)], "image 3 is not sent: the images of a message take at most 7.5 MB together."],
] as const)("a prompt is refused with %s", (_what, blocks, problem) => {
  expect(() => wordsOf([{ type: "text", text: "Look." }, ...blocks])).toThrow(`Invalid params: ${problem}`);
});
