import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import { defineTool, type ToolSpec } from "../../../src/tools/contract/define.ts";
import type { ToolContext, ToolResult } from "../../../src/tools/contract/tool.ts";
import { browserCommand, requestCommand } from "../../../src/tools/contract/web-command.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { NO, policyText, scene, textOf, YES } from "../gate-scene.ts";
import { until } from "../../support/until.ts";

type Execute = ToolSpec<z.ZodObject>["execute"];

/** A tool of a program that embeds Warder, in a registry with Warder's own. */
function own(execute: Execute, spec: Partial<ToolSpec<z.ZodObject>> = {}): { readonly change: () => Partial<GateParts> } {
  const tool = defineTool({ name: "deploy", description: "", schema: z.object({}), execute, ...spec });
  return { change: () => ({ tools: createRegistry(BUILT_IN_TOOLS, [tool]) }) };
}

const NAMED = `${policyText({ autonomy: "full" })}tools: { allow: [deploy, read_file] }\n`;

describe("a tool of a program that embeds Warder", () => {
  test("is asked about by its name, even in full autonomy", async () => {
    const { call, cards } = scene({ ...own(() => "deployed"), policy: policyText({ autonomy: "full" }), answer: () => YES });
    const end = await call("deploy", {});
    expect(end).toMatchObject({ kind: "executed", ruling: { decision: { verdict: "ask" } }, result: { label: "untrusted" } });
    expect(cards.map(({ tool }) => tool)).toEqual(["deploy"]);
  });

  test("does nothing when a person says no", async () => {
    let ran = 0;
    const { call, records } = scene({ ...own(() => `${(ran += 1)}`), policy: policyText({ autonomy: "full" }), answer: () => NO });
    expect((await call("deploy", {})).kind).toBe("refused");
    expect(ran).toBe(0);
    expect(records("permit-spent")).toEqual([]);
  });

  test("runs unasked where the policy names it, and its permit is on disk before it begins", async () => {
    const seen: unknown[] = [];
    const made = scene({ ...own(() => `${seen.push(...made.records("permit-spent").map(({ payload }) => payload["does"]))}`), policy: NAMED });
    expect((await made.call("deploy", {})).kind).toBe("executed");
    expect(seen).toEqual(["invoke"]);
  });

  test("is denied under a read-only policy, and by name", async () => {
    let ran = 0;
    const execute = (): string => `${(ran += 1)}`;
    const readOnly = scene({ ...own(execute), policy: `${policyText({ autonomy: "read-only" })}tools: { allow: [deploy] }\n` });
    const denied = scene({ ...own(execute), policy: `${policyText({ autonomy: "full" })}tools: { allow: ["*"], deny: [deploy] }\n` });
    expect([(await readOnly.call("deploy", {})).kind, (await denied.call("deploy", {})).kind]).toEqual(["denied", "denied"]);
    expect(ran).toBe(0);
  });

  test("gets handles for what it asked for, and for nothing else", async () => {
    const kinds: string[] = [];
    const execute = async (_input: unknown, { handles, workspace }: ToolContext): Promise<string> => {
      kinds.push((await handles.files.write(join(workspace, "mine"), "x")).kind, (await handles.files.write(join(workspace, "other"), "x")).kind);
      return "";
    };
    const requests = (_input: unknown, { workspace }: { workspace: string }) => [{ kind: "write", path: join(workspace, "mine") } as const];
    const { call, records } = scene({ ...own(execute, { requests }), policy: NAMED });
    await call("deploy", {});
    expect(kinds).toEqual(["completed", "denied"]);
    expect(records("permit-spent").map(({ payload }) => payload["does"])).toEqual(["invoke", "write-file"]);
  });

  test("feeds no command that it chose: with the right input a harmless one does anything", async () => {
    const kinds: string[] = [];
    const execute = async (_input: unknown, { handles, workspace }: ToolContext): Promise<string> => {
      const messages = [{ text: "touch fed", awaits: null }];
      const { shell } = handles;
      kinds.push(
        (await shell.converse("cat", workspace, messages)).kind,
        (await shell.converse("clangd", workspace, messages)).kind,
        (await shell.run("cat", workspace)).kind,
      );
      return "";
    };
    const requests = (_input: unknown, { workspace }: { workspace: string }) => [{ kind: "command", text: "cat", cwd: workspace } as const];
    const { call } = scene({ ...own(execute, { requests }), policy: NAMED });
    await call("deploy", {});
    expect(kinds).toEqual(["denied", "denied", "completed"]);
  });

  test("uses the browser for nothing but what it asked for, and saves no other file", async () => {
    const kinds: string[] = [];
    const url = "https://example.org/a";
    const opening = { url, deed: { kind: "open" }, timeoutMs: 1000 } as const;
    const execute = async (_input: unknown, { handles: { browser, files }, workspace }: ToolContext): Promise<string> => {
      for (const change of [{}, { url: "https://example.org/b" }, { deed: { kind: "click", ref: "e1" } as const }])
        kinds.push((await browser.perform({ ...opening, ...change })).kind);
      kinds.push((await files.create(`${workspace}/other`, "")).kind);
      return "";
    };
    const requests = (_input: unknown, { workspace }: { workspace: string }) => [{ kind: "command", text: browserCommand(opening), cwd: workspace } as const];
    const { call } = scene({ ...own(execute, { requests }), policy: policyText({ network: "[example.org]" }), answer: () => YES });
    await call("deploy", {});
    expect(kinds).toEqual(["failed", "denied", "denied", "denied"]);
  });

  test("makes no request but that whose command it asked for", async () => {
    const kinds: string[] = [];
    const asked = { method: "GET", url: "https://example.org/a", headers: [], body: null, redirects: 0, maxBytes: 10, timeoutMs: 1000 } as const;
    const execute = async (_input: unknown, { handles: { web } }: ToolContext): Promise<string> => {
      for (const change of [{}, { url: "https://example.org/b" }, { method: "POST" }, { headers: [{ name: "x-a", value: "1" }] }, { redirects: 5 }])
        kinds.push((await web.request({ ...asked, ...change })).kind);
      return "";
    };
    const requests = (_input: unknown, { workspace }: { workspace: string }) => [{ kind: "command", text: requestCommand(asked), cwd: workspace } as const];
    const { call, records } = scene({ ...own(execute, { requests }), policy: policyText({ network: "[example.org]" }), answer: () => YES });
    await call("deploy", {});
    expect(kinds).toEqual(["completed", "denied", "denied", "denied", "denied"]);
    expect(records("permit-spent").map(({ payload }) => payload["does"])).toEqual(["invoke", "request"]);
  });

  test("that names a host which the policy does not allow is denied", async () => {
    const requests = () => [{ kind: "connect", host: "example.org", port: 443 } as const];
    const { call } = scene({ ...own(() => "sent", { requests }), policy: NAMED });
    expect((await call("deploy", {})).kind).toBe("denied");
  });

  test("refuses arguments by its own check before any policy is asked", async () => {
    const validate = (): string => "it is closed on Sundays";
    const { call, records } = scene({ ...own(() => "deployed", { validate }), policy: `${policyText({ autonomy: "full" })}tools: { deny: [deploy] }\n` });
    const end = await call("deploy", {});
    expect([end.kind, textOf(end)]).toEqual(["invalid", "Invalid arguments for deploy: it is closed on Sundays"]);
    expect(records("ruling")).toEqual([]);
  });

  test("gets its arguments frozen", async () => {
    const { call } = scene({ ...own((input) => `${Object.isFrozen(input)}`), policy: NAMED });
    expect(textOf(await call("deploy", {}))).toBe("true");
  });

  test("is not waited for beyond its time limit, nor long once it is cancelled", async () => {
    // By itself it ends long after.
    const never = (): Promise<string> => new Promise((resolve) => void setTimeout(resolve, 30_000, "It ended.").unref());
    const timed = scene({ ...own(never, { traits: { timeoutMs: 20 } }), policy: NAMED });
    expect(textOf(await timed.call("deploy", {}))).toBe("Timed out: the tool did not end.");
    const stop = new AbortController();
    const cancelled = scene({ ...own(never), policy: NAMED });
    const ending = cancelled.call("deploy", {}, stop.signal);
    await until("the permit", () => cancelled.records("permit-spent").length === 1);
    stop.abort();
    expect((await ending).kind).toBe("cancelled");
  });
});

describe("what a tool says of itself on its way", () => {
  test("reaches whoever watches, between start and end, and never the model", async () => {
    const execute: Execute = (_input, { progress, update }) => {
      progress("half");
      update({ done: 1 });
      return "result";
    };
    const { call, events } = scene({ ...own(execute), policy: NAMED });
    const end = await call("deploy", {});
    expect(textOf(end)).toBe("result");
    expect(events.map(({ kind }) => kind)).toEqual(["ruling", "tool-start", "tool-progress", "tool-update", "tool-end"]);
    expect(events.slice(2, 4)).toMatchObject([{ text: "half" }, { value: { done: 1 } }]);
  });

  test("is ignored after the end", async () => {
    let kept: ToolContext["progress"] = () => undefined;
    const { call, events } = scene({
      ...own((_input, { progress }) => {
        kept = progress;
        return "";
      }),
      policy: NAMED,
    });
    await call("deploy", {});
    kept("late");
    expect(events.filter(({ kind }) => kind === "tool-progress")).toEqual([]);
  });
});

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const images = (...data: readonly string[]): ToolResult => ({
  content: data.map((each) => ({ kind: "image", mediaType: "image/png", data: each })),
  isError: false,
  label: "untrusted",
});

test.each([
  ["one that is right", [PNG], [{ kind: "image", mediaType: "image/png", data: PNG }]],
  ["what is no image", ["aGVsbG8="], [{ kind: "text", text: "[warder left an image out: it is no image/png]" }]],
  ["one that is too large", [`iVBORw0KGgo${"A".repeat(5_000_001)}`], [{ kind: "text", text: "[warder left an image out: it is larger than 3.75 MB]" }]],
])("of a result's images the model gets %s, or why not", async (_what, data, expected) => {
  const { call } = scene({ ...own(() => images(...data)), policy: NAMED });
  expect((await call("deploy", {})).result.content).toEqual(expected);
});

test("a result has at most eight images", async () => {
  const { call } = scene({ ...own(() => images(...Array.from({ length: 9 }, () => PNG))), policy: NAMED });
  const { content } = (await call("deploy", {})).result;
  expect(content.map(({ kind }) => kind)).toEqual([...Array.from({ length: 8 }, () => "image"), "text"]);
});
