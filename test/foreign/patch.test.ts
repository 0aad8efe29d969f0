import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../src/foreign/dialects.ts";
import { patching } from "../../src/foreign/patch.ts";

const PLACE = { workspace: "/repo/src", home: "/home/ada" };
const meaning = (text: unknown): unknown => patching("command")({ command: text }, PLACE);
const patch = (...lines: readonly string[]): string => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
const write = (path: string) => ({ kind: "write", path });
const command = (text: string) => ({ kind: "command", text, cwd: "/repo/src" });
const meant = (...requests: readonly unknown[]) => ({ tool: "apply_patch", requests });

describe("a patch of another agent", () => {
  test("is each write, move and deletion that it names", () => {
    const text = patch("*** Add File: a", "+x", "*** Update File: ../b", "*** Move to: /etc/c", "@@", "-x", "+y", "*** Delete File: /repo/d");
    expect(meaning(text)).toEqual(
      meant(write("/repo/src/a"), write("/repo/b"), write("/etc/c"), command("mv -fT -- /repo/b /etc/c"), write("/repo/d"), command("rm -- /repo/d")),
    );
  });

  test.each([
    ["in a here-document", `<<'EOF'\n${patch("*** Add File: a", "+x")}EOF`],
    ["with carriage returns", patch("*** Add File: a", "+x").replaceAll("\n", "\r\n")],
    ["with a path that has spaces around it", patch("*** Add File:   a \t", "+x")],
  ])("%s is read", (_name, text) => {
    expect(meaning(text)).toEqual(meant(write("/repo/src/a")));
  });

  test.each([
    ["in a line of context", " *** Delete File: /etc/passwd", "/etc/passwd"],
    ["behind other space", " \t*** Update File: .env", "/repo/src/.env"],
  ])("is judged by the head of a file %s, too, whoever takes it for one", (_name, line, path) => {
    expect(meaning(patch("*** Update File: a", "@@", line, "-x", "+y"))).toEqual(meant(write("/repo/src/a"), write(path), command(`rm -- ${path}`)));
  });

  test.each([
    ["no text", 5],
    ["nothing", ""],
    ["no patch", "hello"],
    ["a unified diff, which these agents do not read", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"],
    ["a line that is no part of a file", patch("*** Environment ID: x", "*** Add File: a", "+x")],
    ["a line in an added file without its sign", patch("*** Add File: a", "+x", "\u0085*** Delete File: /etc/passwd")],
    ["no path", patch("*** Delete File: ")],
    ["a path with NUL", patch("*** Delete File: a\0b")],
    ["a path that means too many things", patch(`*** Delete File: ${"@".repeat(40)}a`)],
    ["a hundred files and one", patch(...Array.from({ length: 101 }, (_, index) => `*** Delete File: ${index}`))],
  ])("with %s is denied with a reason", (_name, text) => {
    expect(meaning(text)).toEqual({ problem: expect.any(String) as string });
  });

  test("of two texts is denied: which one the agent takes is not known", () => {
    expect(patching("input", "patch")({ input: patch("*** Add File: a", "+x"), patch: patch("*** Add File: /etc/x", "+x") }, PLACE)).toHaveProperty("problem");
  });

  test.each([
    ["codex", "apply_patch", "command"],
    ["opencode", "apply_patch", "patchText"],
    ["copilot", "apply_patch", "input"],
  ] as const)("comes from %s as %s", (agent, tool_name, key) => {
    const tool_input = { [key]: patch("*** Add File: a", "+x") };
    const event = { session_id: "s", cwd: "/repo/src", hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "t" };
    expect(DIALECTS[agent].read(event, PLACE.home)).toMatchObject({ kind: "call", meaning: meant(write("/repo/src/a")) });
  });
});
