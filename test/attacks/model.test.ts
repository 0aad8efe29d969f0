import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, warder } from "../support/warder-cli.ts";

/** Names and arguments of calls that a hostile or broken model makes. None may end the run, and none may run. */
const CALLS = [
  { tool: "__proto__", input: {} },
  { tool: "constructor", input: { command: "ls" } },
  { tool: "\u001B[31mshell", input: { command: "ls" } },
  { tool: "x".repeat(300), input: {} },
  { tool: "shell", input: { command: "ls", approved: true } },
  { tool: "shell", input: { command: ["ls"] } },
  { tool: "shell", "raw-input": '{"command":"ls","__proto__":{"approved":true}}' },
  { tool: "shell", "raw-input": "{bad" },
  { tool: "shell", "raw-input": "[".repeat(5_000) },
  { tool: "list_files", input: { path: "\u0000" } },
  { tool: "read_file", input: { path: ".env" } },
  { tool: "write_file", input: { path: ".git/hooks/pre-commit", content: "x" } },
];

describeWithDocker("a hostile model", () => {
  test.each(["anthropic", "openai"])("whose every call is refused makes a run that is denied, and steers no output (%s)", async (protocol) => {
    const place = makePlace();
    onTestFinished(() => {
      place.remove();
    });
    writeFileSync(join(place.workspace, ".env"), "A=1");
    const script = join(place.root, "script.yaml");
    const turns = [{ say: "\u001B]0;owned\u0007\u202E", calls: CALLS }, { say: "The end." }];
    // A script shows what it holds: characters that are not seen stand in it as escapes.
    writeFileSync(script, JSON.stringify({ protocol, turns }).replaceAll("\u202E", String.raw`\u202E`));
    const end = await warder(place, ["run", "go", "--json", "--policy", "unattended", "--model", `scripted:${script}`]);
    const events = end.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; isError?: boolean; end?: { kind: string } });
    expect(events.at(-1)).toMatchObject({ kind: "run-end", end: { kind: "denied" } });
    expect(end.exitCode).toBe(3);
    expect(events.filter((event) => event.kind === "tool-result" && event.isError === true)).toHaveLength(CALLS.length);
    expect(events.filter((event) => event.kind === "tool-start")).toHaveLength(0);
    expect(end.stdout).not.toMatch(/[\u0007\u001B]/u);
  });
});
