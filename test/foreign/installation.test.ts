import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { closingLine, watchingLine, withoutWarder } from "../../src/foreign/hook-line.ts";
import { INSTALLATIONS } from "../../src/foreign/installation.ts";
import { linesIn, linesInText, withHook, withoutHook } from "../../src/foreign/shared-configuration.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

const CLAUDE = INSTALLATIONS["claude-code"].form;
const LINE = closingLine("/opt/warder", ["claude-code"]);
const CLOSING = { line: LINE, isShadow: false };

describe("a configuration", () => {
  const theirs = { model: "x", hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "lint" }] }], Stop: [] } };

  test("gets the hook beside what it has, once, and gives it back", () => {
    const installed = withHook(theirs, "claude-code", CLAUDE, CLOSING) ?? {};
    expect(linesIn(installed, "claude-code", CLAUDE)).toEqual([LINE]);
    expect(installed["model"]).toBe("x");
    const again = withHook(installed, "claude-code", CLAUDE, { line: watchingLine("/opt/warder", ["claude-code"]), isShadow: true }) ?? {};
    expect(linesIn(again, "claude-code", CLAUDE)).toHaveLength(1);
    expect(withoutHook(again, "claude-code", CLAUDE)).toEqual(theirs);
    expect(withoutHook(withHook({}, "claude-code", CLAUDE, CLOSING) ?? {}, "claude-code", CLAUDE)).toEqual({});
  });

  test("keeps what stands beside our line in one group", () => {
    const beside = { type: "command", command: "lint" };
    const mixed = { hooks: { PreToolUse: [{ matcher: "*", hooks: [beside, { type: "command", command: LINE }] }] } };
    expect(withoutHook(mixed, "claude-code", CLAUDE)).toEqual({ hooks: { PreToolUse: [{ matcher: "*", hooks: [beside] }] } });
  });

  test("without the hook is left as it is, and so is the hook of another agent", () => {
    expect(withoutHook(theirs, "claude-code", CLAUDE)).toBe(theirs);
    const other = withHook(theirs, "codex", CLAUDE, { line: closingLine("/opt/warder", ["codex"]), isShadow: false }) ?? {};
    expect(withoutHook(other, "claude-code", CLAUDE)).toBe(other);
  });

  test.each([{ hooks: [] }, { hooks: { PreToolUse: {} } }, { hooks: "none" }])("of another form is not touched: %j", (configuration) => {
    expect(withHook(configuration, "claude-code", CLAUDE, CLOSING)).toBeNull();
  });
});

test("Cursor's has the hook before each of its four events, closed unless it only records, and is as before without it", () => {
  const { form } = INSTALLATIONS.cursor;
  const line = closingLine("/opt/warder", ["cursor"]);
  const theirs = { version: 1, hooks: { preToolUse: [{ command: "lint" }], stop: [{ command: "bell" }] } };
  const installed = withHook(theirs, "cursor", form, { line, isShadow: false }) ?? {};
  expect(installed).toEqual({
    version: 1,
    hooks: {
      preToolUse: [{ command: "lint" }, { command: line, timeout: 20, failClosed: true }],
      stop: [{ command: "bell" }],
      beforeShellExecution: [{ command: line, timeout: 20, failClosed: true }],
      beforeMCPExecution: [{ command: line, timeout: 20, failClosed: true }],
      beforeReadFile: [{ command: line, timeout: 20, failClosed: true }],
    },
  });
  expect(linesIn(installed, "cursor", form)).toEqual([line]);
  expect(withoutHook(installed, "cursor", form)).toEqual(theirs);
  const shadow = withHook({}, "cursor", form, { line: watchingLine("/opt/warder", ["cursor"]), isShadow: true }) ?? {};
  expect([JSON.stringify(shadow).includes('"failClosed":true'), withoutHook(shadow, "cursor", form)]).toEqual([false, {}]);
});

test.each(["copilot", "kiro"] as const)("the file of %s holds the line, which is found in it again", (agent) => {
  const line = closingLine("/opt/it's warder", [agent, "--policy", "/a b.yaml"]);
  const text = INSTALLATIONS[agent].form.text({ line, isShadow: false });
  expect(linesInText(text, agent)).toEqual([line]);
  expect(linesInText(text, "codex")).toEqual([]);
  expect(linesInText('{ "x": "\\u00 warder hook kiro", broken', "kiro")).toEqual([]);
});

describe("the line of a hook", () => {
  const ends: readonly (readonly [name: string, script: string, blocked: number])[] = [
    ["answers", "exit 90", 0],
    ["denies", "echo no >&2; exit 92", 2],
    ["is another program that succeeds", "echo rubbish; exit 0", 2],
    ["is another program that ends as agents take for a denial", "echo '{}'; exit 2", 2],
    ["fails", "exit 1", 2],
    ["has a broken configuration", "exit 78", 2],
    ["kills itself", "kill -9 $$", 2],
  ];
  test.each(ends)("of a Warder that %s", (_name, script, blocked) => {
    const warder = join(temporaryDirectory(), "it's warder");
    writeFileSync(warder, `#!/bin/sh\n${script}\n`);
    chmodSync(warder, 0o755);
    const run = (line: string) => spawnSync("/bin/sh", ["-c", line], { encoding: "utf8" });
    const end = run(closingLine(warder, ["codex"]));
    expect([end.status, end.stderr !== "", end.stdout]).toEqual([blocked, blocked === 2, ""]);
    expect(run(watchingLine(warder, ["codex"])).status).toBe(0);
  });

  test("hands on what Warder prints, whichever way it answers", () => {
    const warder = join(temporaryDirectory(), "warder");
    const text = '{"a":"%s \\\\n $HOME `id` \\u00e9"}';
    for (const [code, status] of [
      [90, 0],
      [92, 2],
    ] as const) {
      writeFileSync(warder, `#!/bin/sh\ncat <<'END'\n${text}\nEND\nexit ${code}\n`, { mode: 0o755 });
      const end = spawnSync("/bin/sh", ["-c", closingLine(warder, ["codex"])], { encoding: "utf8" });
      expect([end.status, end.stdout]).toEqual([status, `${text}\n`]);
    }
  });

  test.each(["/opt/warder", "/opt/it's a warder"])("of %s is tried without it, too", (warder) => {
    const line = withoutWarder(closingLine(warder, ["codex", "--policy", "/a b.yaml"]));
    expect(line).toContain("timeout -k 1 15 true hook codex --policy '/a b.yaml' --in-line");
    expect(spawnSync("/bin/sh", ["-c", line ?? ""], { encoding: "utf8" })).toMatchObject({ status: 2, stdout: "" });
    expect(withoutWarder("warder hook codex")).toBeNull();
  });

  test("of a Warder that is gone, and of one that does not end, blocks, too", () => {
    const run = (line: string, environment = process.env) => spawnSync("/bin/sh", ["-c", line], { encoding: "utf8", env: environment });
    const gone = run(closingLine("/nowhere/warder", ["codex"]));
    expect([gone.status, gone.stderr]).toEqual([2, expect.stringContaining("Warder did not answer")]);
    const warder = join(temporaryDirectory(), "warder");
    writeFileSync(warder, "#!/bin/sh\nsleep 60\n");
    chmodSync(warder, 0o755);
    const hung = run(closingLine(warder, ["codex"]).replace("-k 1 15", "-k 1 0.2"));
    expect([hung.status, hung.stderr]).toEqual([2, expect.stringContaining("Warder did not answer")]);
    expect(run(closingLine(warder, ["codex"]), { PATH: "/nowhere" }).status).toBe(2);
  });
});
