import { decodeInput } from "../../src/tools/decode.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { resultText, type Handles, type ToolContext } from "../../src/tools/contract/tool.ts";
import { readDocument } from "../../src/sandbox/documents/ask.ts";
import { askSyntax } from "../../src/sandbox/syntax/ask.ts";
import type { Session } from "../../src/sandbox/runtime.ts";
import { perform } from "../contract/sandbox-fixture.ts";

/** Handles that act in a real session and refuse nothing: what a tool does with them is looked at, not what it may do. */
function sessionHandles(session: Session, workspace: string, ripgrep: string): Handles {
  const limits = { env: {}, timeoutMs: 200_000, outputBytes: 64 * 1024 };
  return {
    files: {
      read: (path, offset, length) => perform(session, { kind: "read-file", path, offset, length }),
      write: (path, content, expected) => perform(session, { kind: "write-file", path, content, ...(expected === undefined ? {} : { expected }) }),
      create: (path, content) => perform(session, { kind: "write-file", path, content, encoding: "base64", expected: null }),
      takeBack: (paths) => perform(session, { ...limits, kind: "exec", argv: ["rm", "-f", "--", ...paths], cwd: workspace }),
      list: (path, depth, maxEntries) => perform(session, { kind: "list", path, depth, maxEntries }),
      search: (path, text, within) => perform(session, { kind: "search", path, text, ...within }),
    },
    jobs: {
      start: (text, cwd) => perform(session, { kind: "start-job", argv: ["/bin/bash", "-c", text], cwd, env: {}, timeoutMs: limits.timeoutMs }),
      read: (job, waitMs, from) => perform(session, { kind: "read-job", job, waitMs, maxCharacters: 64 * 1024, ...(from === undefined ? {} : { from }) }),
      stop: (job) => perform(session, { kind: "stop-job", job }),
      list: () => perform(session, { kind: "list-jobs" }),
    },
    agents: {
      changes: () => Promise.resolve(null),
      text: () => Promise.resolve(null),
      merge: () => Promise.resolve({ kind: "denied", reason: "There are no sub-agents here.", durationMs: 0 }),
      run: () => Promise.resolve({ kind: "not-started", reason: "There are no sub-agents here." }),
    },
    run: { state: () => Promise.reject(new Error("There is no run here.")) },
    skills: { read: () => Promise.resolve({ problem: "There are no skills here." }) },
    schedule: {
      propose: () => Promise.resolve("There is no schedule here."),
      withdraw: () => Promise.resolve("There is no schedule here."),
      list: () => Promise.resolve([]),
    },
    memory: {
      store: () => Promise.resolve({ kind: "refused", reason: "There is no memory here." }),
      recall: () => Promise.resolve([]),
      forget: () => Promise.resolve({ kind: "refused", reason: "There is no memory here." }),
    },
    scripts: { run: () => Promise.resolve({ kind: "not-started", reason: "There are no scripts here." }) },
    person: { tell: () => Promise.resolve("There is no person here."), answer: () => Promise.resolve({ problem: "There is no person here." }) },
    serverAsks: {
      question: () => Promise.resolve({ problem: "There is no person here.", isRefused: false }),
      sample: () => Promise.resolve({ problem: "There is no model here." }),
    },
    clock: { sleep: () => Promise.resolve(true) },
    plan: { leave: () => Promise.resolve("There is no plan here.") },
    syntax: { read: (task) => askSyntax(task, new AbortController().signal) },
    documents: { read: (task) => readDocument(task, new AbortController().signal) },
    web: { request: (request) => perform(session, { kind: "request", request }) },
    browser: { perform: (order) => perform(session, { kind: "browse", order }) },
    artifacts: { read: () => Promise.resolve(null) },
    shell: {
      run: (text, cwd, timeoutMs) =>
        perform(session, {
          ...limits,
          kind: "exec",
          argv: ["/bin/bash", "--norc", "--noprofile", "-c", text],
          cwd,
          timeoutMs: Math.min(timeoutMs ?? limits.timeoutMs, limits.timeoutMs),
        }),
      converse: () => Promise.resolve({ kind: "denied", reason: "There is no language server here.", durationMs: 0 }),
      search: (path, rgArguments) => perform(session, { ...limits, kind: "exec", argv: [ripgrep, ...rgArguments, "--", path], cwd: workspace }),
    },
  };
}

export type ToolAnswer = { readonly text: string; readonly isError: boolean; readonly label: string };

/** Calls tools by name in a session, as one run would: what was read is remembered from call to call. `ripgrep`: the program that searches. */
export function toolCaller(session: Session, workspace: string, ripgrep = "rg"): (name: string, input: Record<string, unknown>) => Promise<ToolAnswer> {
  const registry = createRegistry();
  const shared = {
    workspace,
    home: "/home/somebody",
    signal: new AbortController().signal,
    handles: sessionHandles(session, workspace, ripgrep),
    seen: new Map<string, string>(),
    progress: () => undefined,
    update: () => undefined,
  };
  return async (name, input) => {
    const tool = registry.find(name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    const decoded = decodeInput(tool, input);
    if (decoded.kind === "invalid") throw new Error(decoded.message);
    const context: ToolContext = { ...shared, callId: "call-test", toolName: tool.name };
    const { content, isError, label } = await tool.execute(decoded.input, context);
    return { text: resultText({ content }), isError, label };
  };
}
