import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import { setStopSwitch } from "../../../src/gate/stop-switch.ts";
import { budgetOf } from "../../../src/budgets/accounts.ts";
import { reserve, spend } from "../../../src/budgets/budget.ts";
import type { Session } from "../../../src/sandbox/runtime.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/tools/contract/tool.ts";
import { DEFAULT_TRAITS } from "../../../src/tools/contract/traits.ts";
import { policyText, scene, textOf, YES } from "../gate-scene.ts";

const packageJson = (script: string): string => JSON.stringify({ scripts: { x: script } });

/** A tool that does `act`, and asks to read a file. */
function toolThat(act: (context: ToolContext) => Promise<ToolResult>) {
  const tool: Tool = {
    name: "odd",
    aliases: [],
    description: "A test's own.",
    schema: z.strictObject({}),
    traits: DEFAULT_TRAITS,
    requests: (_input, setting) => [{ kind: "read", path: join(setting.workspace, "README"), isRecursive: false }],
    execute: (_input, context) => act(context),
  };
  return { change: (): Partial<GateParts> => ({ tools: { find: (name) => (name === "odd" ? tool : undefined), near: () => [] } }) };
}

/** Lets somebody else, such as a job of the run, write the script behind each look at it; null: not behind this one. */
function swapBehindLooks(session: Session, workspace: string, scriptAfter: (looks: number) => string | null): void {
  const texts = session.texts.bind(session);
  let looks = 0;
  Object.assign(session, {
    texts: async (paths: readonly string[]) => {
      const found = await texts(paths);
      looks += 1;
      const script = scriptAfter(looks);
      if (script !== null) writeFileSync(join(workspace, "package.json"), packageJson(script));
      return found;
    },
  });
}

describe("a script that is swapped while the call is looked at", () => {
  test("is judged and shown as it is bound", async () => {
    const { call, cards, session, workspace } = scene({ answer: () => YES });
    writeFileSync(join(workspace, "package.json"), packageJson("ls"));
    swapBehindLooks(session, workspace, (looks) => (looks === 1 ? "touch swapped" : null));
    await call("shell", { command: "npm run x" });
    expect(cards).toHaveLength(1);
    expect(cards[0]?.commands.join("\n")).toContain("touch swapped");
  });

  test("without an end is denied: nobody is asked, and nothing runs", async () => {
    const { call, cards, session, workspace, records } = scene({ answer: () => YES });
    swapBehindLooks(session, workspace, (looks) => `touch swapped-${looks}`);
    writeFileSync(join(workspace, "package.json"), packageJson("ls"));
    const end = await call("shell", { command: "npm run x" });
    expect(end.kind).toBe("denied");
    expect(textOf(end)).toContain("Denied by rule facts-changed");
    expect([cards, session.performed]).toEqual([[], []]);
    expect(records("ruling")[0]?.payload).toMatchObject({ verdict: "deny" });
  });

  test("cannot be by a job of the run: judging and acting are done while all jobs stand still", async () => {
    const { call, session } = scene({ policy: policyText({ autonomy: "full" }) });
    let depth = 0;
    const outside: string[] = [];
    const source = { ...session };
    const watched =
      <P extends readonly unknown[], R>(name: string, verb: (...given: P) => Promise<R>) =>
      async (...given: P): Promise<R> => {
        if (depth === 0) outside.push(name);
        return await verb(...given);
      };
    Object.assign(session, {
      resolve: watched("resolve", (paths: readonly string[]) => source.resolve(paths)),
      hash: watched("hash", (paths: readonly string[]) => source.hash(paths)),
      texts: watched("texts", (paths: readonly string[]) => source.texts(paths)),
      still: async <T>(work: () => Promise<T>): Promise<T> => {
        depth += 1;
        return await work().finally(() => (depth -= 1));
      },
    });
    await call("shell", { command: "npm run x; bash a.sh; touch b" });
    await call("read_file", { path: "b" });
    expect(outside).toEqual([]);
  });
});

describe("the log says what came of a call", () => {
  test("cancelled before its action", async () => {
    const { parts, records, session } = scene();
    const stop = new AbortController();
    const emit = (event: { readonly kind: string }): void => {
      if (event.kind === "tool-start") stop.abort();
    };
    const end = await createGate(parts).runToolCall({ id: "call-1", name: "shell", input: { command: "echo hi" } }, { signal: stop.signal, emit });
    expect(end.kind).toBe("cancelled");
    expect(session.performed).toEqual([]);
    expect(records("outcome")[0]?.payload).toMatchObject({ outcome: "cancelled" });
  });

  test("cancelled while it was measured again", async () => {
    const { parts, records, session } = scene();
    const stop = new AbortController();
    const source = { ...session };
    let looks = 0;
    Object.assign(session, {
      resolve: async (paths: readonly string[]) => {
        looks += 1;
        if (looks === 2) stop.abort();
        return await source.resolve(paths);
      },
    });
    const end = await createGate(parts).runToolCall(
      { id: "call-1", name: "shell", input: { command: "echo hi" } },
      { signal: stop.signal, emit: () => undefined },
    );
    expect([end.kind, session.performed, records("permit-spent")]).toEqual(["cancelled", [], []]);
  });

  test.each<[string, (context: ToolContext) => Promise<ToolResult>, string]>([
    ["a tool that threw", () => Promise.reject(new Error("odd")), "failed"],
    [
      "a tool that was refused what it had not asked for",
      async (context) => {
        await context.handles.shell.run("touch owned", context.workspace);
        return { content: [], isError: true, label: "trusted" };
      },
      "denied",
    ],
    [
      "a tool whose result has no form",
      async (context) => {
        await context.handles.files.read(join(context.workspace, "README"), 0, 10);
        return { content: [{ kind: "json", value: 1n }], isError: false, label: "trusted" };
      },
      "fault",
    ],
  ])("%s", async (_what, act, outcome) => {
    const { call, records, workspace } = scene({ change: toolThat(act).change });
    writeFileSync(join(workspace, "README"), "hello");
    const end = await call("odd", {});
    expect(end.result.isError).toBe(true);
    expect(textOf(end)).not.toContain("did not run");
    expect(records("outcome").map(({ payload }) => payload["outcome"])).toEqual([outcome]);
    expect(records("call-rejected")).toEqual([]);
  });
});

describe("the stop switch in the middle of a call", () => {
  test("while it is measured again: nothing runs", async () => {
    const { call, session, parts, records } = scene();
    const source = { ...session };
    let looks = 0;
    Object.assign(session, {
      resolve: async (paths: readonly string[]) => {
        looks += 1;
        if (looks === 2) setStopSwitch(parts.audit, "stopped", "ann");
        return await source.resolve(paths);
      },
    });
    const end = await call("shell", { command: "echo hi" });
    expect(textOf(end)).toContain("the stop switch is engaged");
    expect([session.performed, records("permit-spent")]).toEqual([[], []]);
  });

  test("while the permit is recorded: the action begins cancelled", async () => {
    const { session, parts } = scene();
    let isStopping = false;
    const aborted: (boolean | undefined)[] = [];
    const source = { ...session };
    Object.assign(session, {
      perform: async (...given: Parameters<Session["perform"]>) => {
        aborted.push(given[2]?.signal?.aborted);
        return await source.perform(...given);
      },
    });
    const gate = createGate({
      ...parts,
      audit: {
        ...parts.audit,
        redact: (text) => {
          // The last text of the record of a permit: somebody stops while it is written.
          if (text === "exec") isStopping = true;
          return text;
        },
      },
      store: {
        ...parts.store,
        stop: { ...parts.store.stop, read: () => (isStopping ? null : parts.store.stop.read()) },
      },
    });
    const end = await gate.runToolCall(
      { id: "call-1", name: "shell", input: { command: "echo hi" } },
      { signal: new AbortController().signal, emit: () => undefined },
    );
    expect(aborted).toEqual([true]);
    expect(end.kind).toBe("cancelled");
  });
});

test("a yes to what a limit forbids by now is not used", async () => {
  const { call, session, parts, records, store } = scene({
    policy: policyText({ limits: "{ actions: { max: 1, per: 1h } }" }),
    answer: () => {
      const budget = budgetOf(parts.policy, { workspace: parts.setting.workspace, runId: "run-other", job: null }, { store, clock: parts.clock });
      const taken = reserve(budget, { actions: 1 });
      if (taken.kind === "reserved") spend(budget, taken);
      return YES;
    },
  });
  const end = await call("shell", { command: "touch a" });
  expect(end.kind).toBe("budget");
  expect(session.performed).toEqual([]);
  expect(records("ruling").map(({ payload }) => payload["verdict"])).toEqual(["ask", "deny"]);
});

test("a name that is no text ends no run", async () => {
  const { call, records } = scene({ policy: policyText({ limits: "{ calls: { max: 1, per: 1h } }" }) });
  const name = `${"a".repeat(199)}\u{1f600}\ud800`;
  expect((await call(name, {})).kind).toBe("unknown-tool");
  expect((await call(name, {})).kind).toBe("budget");
  expect(records("call-rejected")).toHaveLength(2);
});

test("a secret that a name ends in the middle of is in no record, and in no half", async () => {
  const { call, records } = scene();
  const name = `${"n".repeat(180)} ghp_${"A1b2".repeat(9)}`;
  expect((await call(name, {})).kind).toBe("unknown-tool");
  expect(JSON.stringify([...records("call"), ...records("call-rejected")])).not.toContain("ghp_A");
});

test("a ruling of more than is recorded says how much more", async () => {
  const { call, records } = scene();
  await call("shell", { command: `touch ${Array.from({ length: 230 }, (_, index) => `f${index}`).join(" ")}` });
  await call("shell", { command: "touch one" });
  expect(records("ruling").map(({ payload }) => [(payload["units"] as readonly unknown[]).length, payload["moreUnits"]])).toEqual([
    [200, 30],
    [1, undefined],
  ]);
});
