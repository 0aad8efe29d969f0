import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makePlace, startWarder, warder } from "../../../support/warder-cli.ts";
import { exitCodeOf } from "../../../support/until.ts";

const place = makePlace();
afterAll(() => place.remove());

async function answersTo(lines: readonly string[]): Promise<{ readonly exitCode: number | null; readonly answers: readonly Record<string, unknown>[] }> {
  const { exitCode, stdout } = await warder(place, ["check", "--jsonl"], { input: lines.join("\n") });
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { exitCode, answers };
}

test("answers each line with a line", async () => {
  const { exitCode, answers } = await answersTo([
    '{"id":1,"command":"ls"}',
    "",
    '{"id":{"a":2},"tool":"write_file","input":{"path":"a","content":"b"}}',
    '{"command":"sudo id"}',
  ]);
  expect(answers.map(({ id, decision }) => ({ id, decision }))).toEqual([
    { id: 1, decision: "allow" },
    { id: { a: 2 }, decision: "ask" },
    { id: null, decision: "deny" },
  ]);
  expect(exitCode).toBe(0);
});

test("denies what is no question, says why, goes on, and ends with the exit code for wrong usage", async () => {
  const { exitCode, answers } = await answersTo([
    '{"id":1,"command":"ls"',
    "[]",
    "null",
    '{"id":4,"command":"ls","tool":"shell"}',
    '{"id":5,"command":7}',
    '{"id":6,"command":"ls"}',
  ]);
  expect(answers.map(({ id, decision, error }) => ({ id, decision, error }))).toEqual([
    { id: null, decision: "deny", error: "Line 1 of standard input is no JSON." },
    { id: null, decision: "deny", error: 'Line 2 of standard input is neither {"id","command"} nor {"id","tool","input"}.' },
    { id: null, decision: "deny", error: 'Line 3 of standard input is neither {"id","command"} nor {"id","tool","input"}.' },
    { id: 4, decision: "deny", error: 'Line 4 of standard input is neither {"id","command"} nor {"id","tool","input"}.' },
    { id: 5, decision: "deny", error: 'Line 5 of standard input is neither {"id","command"} nor {"id","tool","input"}.' },
    { id: 6, decision: "allow", error: undefined },
  ]);
  expect(answers[0]).toMatchObject({ rules: [{ id: "invalid-arguments", verdict: "deny" }], programs: [], reads: [], writes: [] });
  expect(exitCode).toBe(2);
});

test("names the keys of a line that nothing reads: who meant a directory or a policy by them sees that the answer is about another question", async () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_unused, index) => [`k${index}`, 0]));
  const { exitCode, answers } = await answersTo([
    '{"id":1,"command":"ls","cwd":"/tmp","label":"safe"}',
    '{"id":2,"command":"ls","input":{}}',
    '{"id":3,"tool":"shell","input":{"command":"ls"},"policy":"operator"}',
    '{"id":4,"tool":"shell","arguments":{"command":"ls"},"a\\u001b\\"b":1}',
    JSON.stringify({ id: 5, command: "ls", ["x".repeat(5_000)]: 1, ...many }),
    '{"id":6,"command":"ls"}',
  ]);
  expect(answers.map(({ id, decision, unread }) => ({ id, decision, unread }))).toEqual([
    { id: 1, decision: "allow", unread: ["cwd", "label"] },
    { id: 2, decision: "allow", unread: ["input"] },
    { id: 3, decision: "allow", unread: ["policy"] },
    { id: 4, decision: "deny", unread: ["arguments", 'a\u001b"b'] },
    { id: 5, decision: "allow", unread: ["x".repeat(100), "k0", "k1", "k2", "k3", "k4", "k5", "k6"] },
    { id: 6, decision: "allow", unread: undefined },
  ]);
  expect(exitCode).toBe(0);
});

test("judges other agents' calls and events as they are, like a hook: nothing contains them", async () => {
  const event = { session_id: "s", cwd: place.workspace, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
  const gemini = { ...event, hook_event_name: "BeforeTool", tool_name: "run_shell_command", tool_input: { command: "sudo id" } };
  const { exitCode, answers } = await answersTo(
    [
      { id: 1, tool: "Bash", input: { command: "rm -rf /" } },
      { id: 2, tool: "Read", input: { file_path: "a" } },
      { id: 3, tool: "Write", input: { file_path: "/etc/passwd" } },
      { id: 4, tool: "mcp__github__create_issue", input: {} },
      { id: 5, tool: "Write", input: {} },
      { id: 6, tool: "no_such_tool", input: {} },
      event,
      { ...event, turn_id: "u", model: "m", tool_input: { command: "sudo id" } },
      gemini,
      { ...event, hook_event_name: "PostToolUse" },
      { ...event, cwd: "here" },
      { id: 12, hook_event_name: "PreToolUse", command: "ls" },
      { id: 13, tool: "shell", input: { command: "ls" } },
    ].map((line) => JSON.stringify(line)),
  );
  expect(answers.map(({ id, decision, containment, error }) => [id, decision, containment, ...(error === undefined ? [] : [error])])).toEqual([
    [1, "deny", "none"],
    [2, "allow", "none"],
    [3, "deny", "none"],
    [4, "ask", "none"],
    [5, "deny", "none"],
    [6, "deny", "profile"],
    ["t1", "allow", "none"],
    ["t1", "deny", "none"],
    ["t1", "deny", "none"],
    ["t1", "deny", "profile", "Line 10 of standard input is an event that asks nothing."],
    ["t1", "deny", "profile", "Line 11 of standard input: The event cannot be read: session_id, cwd or tool_name is missing."],
    [12, "deny", "profile", "Line 12 of standard input: The event cannot be read: session_id, cwd or tool_name is missing."],
    [13, "allow", "profile"],
  ]);
  expect(answers[3]).toMatchObject({ reason: expect.stringContaining("github__create_issue") as string });
  expect(answers[4]).toMatchObject({ rules: [{ id: "invalid-arguments" }], reason: expect.stringContaining("file_path") as string });
  expect(exitCode).toBe(2);
});

test("a command beside --jsonl is refused, for nobody would look at it", async () => {
  const end = await warder(place, ["check", "rm -rf /", "--jsonl"], { input: '{"command":"ls"}\n' });
  expect(end).toMatchObject({ exitCode: 2, stdout: "" });
  expect(end.stderr).toContain("standard input");
});

test("what is not UTF-8 is denied: the bytes that would run were not seen", async () => {
  // A file with this name may be a link to anywhere; its name as it was read belongs to no file.
  const child = startWarder(place, ["check", "--jsonl"]);
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stdin?.end(Buffer.concat([Buffer.from('{"id":1,"command":"cat '), Buffer.of(0xff), Buffer.from('"}\n{"id":2,"command":"ls"}\n')]));
  expect(await exitCodeOf(child)).toBe(2);
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers.map(({ id, decision }) => ({ id, decision }))).toEqual([
    { id: 1, decision: "deny" },
    { id: 2, decision: "allow" },
  ]);
  const { exitCode, stdout: said } = await warder(place, ["check", "cat \uFFFD"]);
  expect(said).toContain("not UTF-8");
  expect(exitCode).toBe(3);
});

test("a directory as standard input is a mistake, not the end of all questions", () => {
  const directory = openSync(place.workspace, "r");
  try {
    const program = join(import.meta.dirname, "..", "..", "..", "..", "bin", "warder");
    const env = { ...process.env, HOME: place.home, WARDER_HOME: place.state };
    const { status, stderr } = spawnSync(program, ["check", "--jsonl"], { cwd: place.workspace, env, stdio: [directory, "pipe", "pipe"], encoding: "utf8" });
    expect(status).toBe(2);
    expect(stderr).toContain("Standard input is a directory");
  } finally {
    closeSync(directory);
  }
});
