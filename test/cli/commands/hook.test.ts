import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { place } from "../../support/test-place.ts";
import { warder } from "../../support/warder-cli.ts";

const event = (cwd: string, tool_name: string, tool_input: object, more: object = {}): string =>
  JSON.stringify({ session_id: "s1", cwd, hook_event_name: "PreToolUse", permission_mode: "default", tool_name, tool_input, tool_use_id: "t", ...more });

test("a hook answers in its agent's way, and closes on whatever it cannot judge", async () => {
  const here = place();
  mkdirSync(join(here.workspace, ".git"));
  mkdirSync(join(here.workspace, "src"));
  const hook = async (input: string, argv: readonly string[] = ["claude-code"]) => await warder(here, ["hook", ...argv], { input });
  const cwd = join(here.workspace, "src");
  const decisionOf = ({ stdout }: { readonly stdout: string }): unknown =>
    (JSON.parse(stdout) as { hookSpecificOutput: { permissionDecision: string } }).hookSpecificOutput.permissionDecision;

  const [allowed, denied, asked, noEvent, noPolicy, codex, other] = await Promise.all([
    hook(event(cwd, "Read", { file_path: "../a" })),
    hook(event(cwd, "Write", { file_path: "/etc/passwd", content: "" })),
    hook(event(cwd, "Write", { file_path: "../a", content: "" })),
    hook("no event"),
    hook(event(cwd, "Read", { file_path: "a" }), ["codex", "--policy", join(here.root, "none.yaml")]),
    hook(event(cwd, "Bash", { command: "echo x > a" }), ["codex"]),
    hook(event(cwd, "Read", { file_path: "a" }), ["no-agent"]),
  ]);
  expect([allowed, denied, asked].map((end) => [end.exitCode, decisionOf(end)])).toEqual([
    [0, "allow"],
    [2, "deny"],
    [0, "ask"],
  ]);
  expect([noEvent, noPolicy].map((end) => [end.exitCode, decisionOf(end)])).toEqual([
    [2, "deny"],
    [2, "deny"],
  ]);
  expect(noPolicy.stderr).toContain("none.yaml");
  expect([other.exitCode, other.stdout]).toEqual([2, ""]);

  // A question of Codex's waits here, and a yes is for the same call, once.
  const id = /warder approvals show (approval-\w+)/u.exec(codex.stderr)?.[1] ?? "";
  expect(JSON.parse((await warder(here, ["audit", "tail", "--kind", "hook-session", "--json"])).stdout.split("\n")[0] ?? "")).toMatchObject({
    run: expect.stringMatching(/^(?:claude-code|codex):s1$/u) as string,
    workspace: here.workspace,
  });
  expect((await warder(here, ["approvals", "show", id])).stdout).toContain("another agent runs it outside of any sandbox");
});

test("a hook is put into a configuration, tried, and taken out again; the rest of the file stays", async () => {
  const here = place();
  const [real, file] = [join(here.root, "dotfiles.json"), join(here.home, ".claude", "settings.json")];
  const before = '{\n\t"model": "x"\n}\n';
  writeFileSync(real, before, { mode: 0o640 });
  mkdirSync(join(here.home, ".claude"));
  symlinkSync(real, file);
  const run = async (argv: readonly string[]) => await warder(here, ["hook", ...argv]);
  const unasked = await run(["install", "claude-code"]);
  expect([unasked.exitCode, readFileSync(real, "utf8")]).toEqual([2, before]);
  const installed = await run(["install", "claude-code", "--yes"]);
  expect([installed.exitCode, installed.stdout.includes('+\t"hooks"')]).toEqual([0, true]);
  expect(readFileSync(real, "utf8")).toMatch(/^\{\n\t"model": "x",\n\t"hooks"/u);
  expect((await run(["install", "claude-code", "--yes"])).stdout).toContain("needs no change");
  const tried = await run(["doctor", "claude-code"]);
  expect([tried.exitCode, tried.stdout]).toEqual([0, expect.stringContaining("Claude Code: blocks") as string]);
  // Another person's line, that goes on when it fails.
  writeFileSync(real, readFileSync(real, "utf8").replace(/"command": ".*"/u, '"command": "true warder hook claude-code"'));
  const open = await run(["doctor"]);
  expect([open.exitCode, open.stdout]).toEqual([1, expect.stringContaining("DOES NOT BLOCK") as string]);
  // One that blocks, and takes any program that succeeds for Warder.
  writeFileSync(real, readFileSync(real, "utf8").replace(/"command": ".*"/u, '"command": "timeout -k 1 15 false warder hook claude-code || exit 2"'));
  const loose = await run(["doctor", "claude-code"]);
  expect([loose.exitCode, loose.stdout]).toEqual([1, expect.stringContaining("another program in Warder's place") as string]);
  await run(["uninstall", "claude-code", "--yes"]);
  expect(readFileSync(real, "utf8")).toBe(before);

  writeFileSync(real, "{ // mine\n}");
  const refused = await run(["install", "claude-code", "--yes"]);
  expect([refused.exitCode, refused.stderr.includes("comments"), readFileSync(real, "utf8")]).toEqual([78, true, "{ // mine\n}"]);
  const project = await run(["install", "gemini", "--project", "--shadow", "--yes"]);
  expect([project.exitCode, readFileSync(join(here.workspace, ".gemini", "settings.json"), "utf8").includes("--shadow || exit 0")]).toEqual([0, true]);
  await run(["uninstall", "gemini", "--project", "--yes"]);
  expect(existsSync(join(here.workspace, ".gemini", "settings.json"))).toBe(false);

  // A file of the hook's own is written and removed whole, and one of somebody else is not touched.
  const plugin = join(here.home, ".config", "opencode", "plugins", "warder.ts");
  const environment = { XDG_CONFIG_HOME: "" };
  const runPlugin = async (argv: readonly string[]) => await warder(here, ["hook", ...argv], { environment });
  expect((await runPlugin(["install", "opencode", "--yes"])).exitCode).toBe(0);
  expect((await runPlugin(["doctor", "opencode"])).stdout).toContain("opencode: blocks");
  writeFileSync(plugin, readFileSync(plugin, "utf8").replace('=== "allow"', '!== "deny"'));
  expect((await runPlugin(["doctor", "opencode"])).stdout).toContain("is not as Warder writes it");
  await runPlugin(["uninstall", "opencode", "--yes"]);
  expect(existsSync(plugin)).toBe(false);
  writeFileSync(plugin, "// mine\n");
  const foreign = await runPlugin(["install", "opencode", "--yes"]);
  expect([foreign.exitCode, readFileSync(plugin, "utf8")]).toEqual([78, "// mine\n"]);
  expect((await run(["install", "vscode", "--yes"])).stderr).toContain("warder hook install copilot");
});
