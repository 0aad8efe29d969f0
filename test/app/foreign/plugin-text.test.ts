import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { pluginText } from "../../../src/app/foreign/plugin-text.ts";
import { closingLine, watchingLine } from "../../../src/foreign/hook-line.ts";
import type { HookLine, PluginAgent } from "../../../src/foreign/installation.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const CALL = { session_id: "s", tool_use_id: "t", cwd: "/repo", tool_name: "bash", tool_input: { command: "ls" } };

type Opencode = { readonly Warder: (context: object) => Promise<Readonly<Record<string, (call: object, out: object) => Promise<void>>>> };
type Pi = { readonly default: (api: { on: (event: string, handler: PiHandler) => void }) => void };
type PiHandler = (event: object, context: object) => Promise<{ readonly block: boolean; readonly reason: string } | undefined>;

/** Gives a call to a plugin's file as its agent does. Null: the call runs, else why not. */
async function given(agent: PluginAgent, text: string): Promise<string | null> {
  const path = join(temporaryDirectory(), "warder.mjs");
  writeFileSync(path, text);
  const url = pathToFileURL(path).href;
  if (agent === "opencode") {
    const hooks = await ((await import(/* @vite-ignore */ url)) as Opencode).Warder({ directory: "/repo" });
    try {
      await hooks["tool.execute.before"]?.({ tool: "bash", sessionID: "s", callID: "t" }, { args: { command: "ls" } });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }
  const handlers = new Map<string, PiHandler>();
  ((await import(/* @vite-ignore */ url)) as Pi).default({ on: (event, handler) => handlers.set(event, handler) });
  const sessionManager = { getSessionId: () => "s" };
  const said = await handlers.get("tool_call")?.({ toolName: "bash", toolCallId: "t", input: { command: "ls" } }, { cwd: "/repo", sessionManager });
  return said?.block === true ? said.reason : null;
}

function warderThat(script: string): string {
  const warder = join(temporaryDirectory(), "warder");
  writeFileSync(warder, `#!/bin/sh\n${script}\n`);
  chmodSync(warder, 0o755);
  return warder;
}

describe.each(["opencode", "pi"] as const)("the plugin for %s", (agent) => {
  const closing = (warder: string): HookLine => ({ line: closingLine(warder, [agent]), isShadow: false });

  test("hands the call on, and lets it run on an allow", async () => {
    const told = join(temporaryDirectory(), "told");
    const warder = warderThat(`cat > ${told}; echo '{"decision":"allow"}'; exit 90`);
    expect(await given(agent, pluginText(agent, closing(warder)))).toBeNull();
    expect(JSON.parse(readFileSync(told, "utf8"))).toEqual({ hook_event_name: "PreToolUse", ...CALL });
  });

  test("says why a call is denied", async () => {
    const warder = warderThat(`echo '{"decision":"deny","reason":"because"}'; echo because >&2; exit 92`);
    expect(await given(agent, pluginText(agent, closing(warder)))).toBe("because");
  });

  test.each([
    ["fails", "exit 1"],
    ["kills itself behind an allow", `echo '{"decision":"allow"}'; kill -9 $$`],
    ["fails behind an allow", `echo '{"decision":"allow"}'; exit 1`],
    ["succeeds behind an allow, as Warder in such a line does not", `echo '{"decision":"allow"}'`],
    ["writes rubbish", "echo allow; exit 90"],
    ["writes two answers", `echo '{"decision":"allow"}'; echo '{"decision":"allow"}'; exit 90`],
    ["has no opinion", "echo '{}'; exit 90"],
    ["says nothing", "exit 90"],
  ])("blocks the call where the hook %s", async (_name, script) => {
    expect(await given(agent, pluginText(agent, closing(warderThat(script))))).toContain("did not answer");
  });

  test("blocks it where the hook is gone, and where it hangs with its line", async () => {
    expect(await given(agent, pluginText(agent, closing("/nowhere/warder")))).toContain("did not answer");
    const hanging = pluginText(agent, { line: "sleep 60; warder hook x", isShadow: false }).replace("20 * 1000", "0.2 * 1000");
    expect(await given(agent, hanging)).toContain("did not answer");
  });

  test("in the shadow lets everything run", async () => {
    const warder = warderThat("exit 2");
    expect(await given(agent, pluginText(agent, { line: watchingLine(warder, [agent, "--shadow"]), isShadow: true }))).toBeNull();
  });
});
