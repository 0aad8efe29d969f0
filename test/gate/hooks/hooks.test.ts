import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AgentError } from "../../../src/base/errors.ts";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import type { Hook } from "../../../src/gate/hooks/hook.ts";
import { staticTools } from "../../../src/tools/contract/static-tools.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { policyText, scene, textOf, YES, type Scene, type SceneOptions } from "../gate-scene.ts";

const POLICY = `${policyText({ autonomy: "full" })}tools: { allow: [deploy, read_file, write_file] }\n`;

/** A gate with hooks, and a tool `deploy` that counts how often it ran. */
function hooked(hooks: readonly Hook[], options: SceneOptions = {}): Scene & { readonly ran: unknown[]; readonly did: () => readonly unknown[] } {
  const ran: unknown[] = [];
  const tools = createRegistry(BUILT_IN_TOOLS, staticTools({ deploy: (input) => `deployed ${ran.push(input)}` }));
  const made = scene({ policy: POLICY, ...options, change: (): Partial<GateParts> => ({ tools, hooks }) });
  const did = () => made.records("hook").map(({ payload }) => [payload["hook"], payload["did"]]);
  return { ...made, ran, did };
}

const throwing: () => never = () => {
  throw new Error("broken\u001B[2J");
};
const hanging = (): Promise<never> => new Promise(() => undefined);

describe("a hook before a call", () => {
  test("blocks it: nothing is judged, nothing runs, the model reads why, and the log has it", async () => {
    const { call, ran, did, records, events } = hooked([{ name: "no-friday", beforeTool: () => ({ block: "Nothing is deployed on a Friday." }) }]);
    const end = await call("deploy", {});
    expect(end).toMatchObject({ kind: "denied", result: { isError: true }, refusal: { rule: "hook-no-friday" } });
    expect(textOf(end)).toBe("Denied by hook no-friday: Nothing is deployed on a Friday.");
    expect(ran).toEqual([]);
    expect(did()).toEqual([["no-friday", "blocked"]]);
    expect([records("ruling"), records("permit-spent")]).toEqual([[], []]);
    expect(records("call-rejected")).toHaveLength(1);
    expect(events.map(({ kind }) => kind)).toEqual(["hook"]);
  });

  test.each([
    ["throws", throwing],
    ["hangs", hanging],
    ["says what is no answer", () => ({ allow: true }) as never],
    ["says yes and no", () => ({ block: "no", rewrite: {} }) as never],
    ["changes arguments and may not", () => ({ rewrite: {} })],
  ] as const)("that %s denies the call", async (_how, beforeTool) => {
    const { call, ran, did } = hooked([{ name: "guard", timeoutMs: 30, beforeTool }]);
    const end = await call("deploy", {});
    expect(end.kind).toBe("denied");
    expect(textOf(end)).toMatch(/^Denied by hook guard: the hook failed, so the call did not run \(/u);
    expect(textOf(end)).not.toContain("\u001B");
    expect(ran).toEqual([]);
    expect(did()).toEqual([["guard", "failed"]]);
  });

  test("cannot lift a denial of the policy", async () => {
    const kind: Hook = { name: "kind", beforeTool: () => undefined, beforeAsk: () => undefined, afterTool: () => ({ text: "It is fine." }) };
    const { call, ran, cards } = hooked([kind], { policy: POLICY.replace("allow: [deploy", "deny: [deploy], allow: [deploy"), answer: () => YES });
    const end = await call("deploy", {});
    expect([end.kind, end.ruling?.decision.verdict, end.result.isError]).toEqual(["denied", "deny", true]);
    expect([ran, cards]).toEqual([[], []]);
  });

  test("is asked for the tools that it names, by their aliases too, and for no unknown tool", async () => {
    const asked: string[] = [];
    const note: Hook["beforeTool"] = ({ tool }) => void asked.push(tool);
    const { call } = hooked([
      { name: "commands", tools: ["bash"], beforeTool: note },
      { name: "reads", tools: ["read_*"], beforeTool: note },
    ]);
    await call("deploy", {});
    await call("read_file", { path: "missing" });
    await call("bash", { command: "true" });
    await call("no_such_tool", {});
    expect(asked).toEqual(["read_file", "shell"]);
  });

  test("may change arguments where it says so: they are validated and judged, and the next hook sees them", async () => {
    const seen: unknown[] = [];
    const { call, workspace, did, records } = hooked([
      { name: "elsewhere", mayRewrite: true, beforeTool: ({ input }) => ({ rewrite: { ...(input as object), path: "b.txt" } }) },
      { name: "after-it", beforeTool: ({ input }) => void seen.push(input) },
    ]);
    writeFileSync(join(workspace, "b.txt"), "of b");
    const end = await call("read_file", { path: "a.txt" });
    expect(textOf(end)).toContain("of b");
    expect(seen).toEqual([{ path: "b.txt" }]);
    expect(did()).toEqual([["elsewhere", "rewrote"]]);
    expect(records("ruling").map(({ payload }) => payload["input"])).toEqual([{ path: "b.txt" }]);
  });

  test.each([
    ["another path, which the policy forbids", { path: ".ssh/id_ed25519" }],
    ["an argument that there is not", { path: "a.txt", approved: true }],
    ["no path", {}],
  ])("that rewrites a call into %s gets no further than the model would", async (_what, rewrite) => {
    const { call } = hooked([{ name: "rewriter", mayRewrite: true, beforeTool: () => ({ rewrite }) }]);
    expect((await call("read_file", { path: "a.txt" })).kind).toBe("denied");
  });

  test("a person is asked about the arguments as the hooks leave them", async () => {
    const { call, cards } = hooked([{ name: "elsewhere", mayRewrite: true, beforeTool: () => ({ rewrite: { path: "safe.txt", content: "x" } }) }], {
      policy: policyText(),
      answer: () => YES,
    });
    expect((await call("write_file", { path: "other.txt", content: "y" })).kind).toBe("executed");
    expect(JSON.stringify(cards)).toContain("safe.txt");
    expect(JSON.stringify(cards)).not.toContain("other.txt");
  });

  test("that is cancelled with the run denies", async () => {
    const stop = new AbortController();
    const { call, ran } = hooked([{ name: "slow", beforeTool: hanging }]);
    const ending = call("deploy", {}, stop.signal);
    stop.abort();
    expect((await ending).kind).toBe("denied");
    expect(ran).toEqual([]);
  });
});

describe("a hook after a call", () => {
  test("replaces what the model reads, also in what is kept of the call", async () => {
    const { call, did, records } = hooked([
      { name: "mask", afterTool: (_call, { content }) => ({ text: JSON.stringify(content).includes("deployed") ? "masked" : "" }) },
    ]);
    const end = await call("deploy", {});
    expect(textOf(end)).toBe("masked");
    expect(end.result.label).toBe("untrusted");
    expect(did()).toEqual([["mask", "changed"]]);
    expect(JSON.stringify(records("outcome"))).not.toContain("deployed 1");
  });

  test.each([
    ["throws", throwing],
    ["hangs", hanging],
    ["says what is no answer", () => ({ isError: false }) as never],
  ] as const)("that %s withholds the result", async (_how, afterTool) => {
    const { call, ran } = hooked([{ name: "mask", timeoutMs: 30, afterTool }]);
    const end = await call("deploy", {});
    expect(textOf(end)).toBe("Withheld: the hook mask, which looks at results, failed. What the call did, it did.");
    expect(end.result.isError).toBe(true);
    expect(ran).toHaveLength(1);
  });

  test("marks a result as failed, and votes for the end of the run", async () => {
    const marked = hooked([{ name: "judge", afterTool: () => ({ isError: true }) }]);
    expect((await marked.call("deploy", {})).result.isError).toBe(true);
    expect(marked.records("outcome").map(({ payload }) => payload["outcome"])).toEqual(["completed"]);
    const voted = hooked([{ name: "judge", afterTool: () => ({ terminate: true }) }]);
    expect((await voted.call("deploy", {})).result.terminate).toBe(true);
  });

  test("sees a call that never ran, may say more of it, and cannot make a success of it", async () => {
    const outcomes: string[] = [];
    const afterTool: Hook["afterTool"] = (_call, { outcome }) => {
      outcomes.push(outcome);
      return { text: "Ask Ann.", terminate: true };
    };
    const { call } = hooked([
      { name: "no", tools: ["deploy"], beforeTool: () => ({ block: "no" }) },
      { name: "tell", afterTool },
    ]);
    for (const name of ["deploy", "shell"]) {
      const end = await call(name, { command: "true" });
      expect([end.kind, end.result.isError, end.result.terminate, textOf(end)]).toEqual(["denied", true, undefined, "Ask Ann."]);
    }
    expect(outcomes).toEqual(["denied", "denied"]);
  });

  test("comes behind the end of the call and before its result", async () => {
    const { call, events } = hooked([
      { name: "first", mayRewrite: true, beforeTool: ({ input }) => ({ rewrite: { ...(input as object) } }) },
      { name: "last", afterTool: () => ({ text: "x" }) },
    ]);
    await call("deploy", {});
    expect(events.map(({ kind }) => kind)).toEqual(["hook", "ruling", "tool-start", "tool-end", "hook"]);
  });
});

describe("a hook of updates", () => {
  test.each([
    ["says no", (): boolean => false],
    ["throws", (): boolean => throwing()],
  ])("that %s keeps them from whoever watches, and nothing else", async (_how, beforeUpdate) => {
    const { call, events } = hooked([{ name: "quiet", beforeUpdate }], { policy: `${policyText({ autonomy: "full" })}tools: { allow: ["*"] }\n` });
    const end = await call("shell", { command: "echo hello" });
    expect(textOf(end)).toContain("hello");
    expect(events.map(({ kind }) => kind)).toEqual(["ruling", "tool-start", "tool-end"]);
  });

  test("that takes its time keeps their order", async () => {
    let waitMs = 200;
    const beforeUpdate = async (): Promise<boolean> => {
      const ownMs = waitMs;
      // The first is the slowest: whatever did not wait for it would come before it, the end of the call too.
      waitMs = 0;
      await new Promise((resolve) => setTimeout(resolve, ownMs));
      return true;
    };
    const { call, events } = hooked([{ name: "slow", beforeUpdate }], { policy: `${policyText({ autonomy: "full" })}tools: { allow: ["*"] }\n` });
    await call("shell", { command: "echo one; echo two >&2; echo three" });
    const text = events.flatMap((event) => (event.kind === "tool-output" && event.stream === "stdout" ? [event.text] : [])).join("");
    expect(text).toBe("one\nthree\n");
    expect(events.at(-1)?.kind).toBe("tool-end");
  });
});

describe("a hook of questions", () => {
  test("says no before a person hears of it", async () => {
    const { call, cards, ran, records } = hooked([{ name: "office-hours", beforeAsk: () => ({ block: "Nobody is asked at night." }) }], {
      policy: policyText({ autonomy: "full" }),
      answer: () => YES,
    });
    const end = await call("deploy", {});
    expect(end).toMatchObject({ kind: "denied", ruling: { decision: { verdict: "ask" } } });
    expect(textOf(end)).toBe("Denied by hook office-hours: Nobody is asked at night.");
    expect([cards, ran]).toEqual([[], []]);
    expect(records("outcome").map(({ payload }) => payload["outcome"])).toEqual(["denied"]);
  });

  test("cannot say yes", async () => {
    const { call, ran } = hooked([{ name: "eager", beforeAsk: () => ({ grant: true }) as never }], {
      policy: policyText({ autonomy: "full" }),
      answer: () => YES,
    });
    expect((await call("deploy", {})).kind).toBe("denied");
    expect(ran).toEqual([]);
  });
});

test.each([
  ["no name", { name: "", beforeTool: () => undefined }],
  ["a pattern that is none", { name: "a", tools: ["rm -rf"], beforeTool: () => undefined }],
  ["no tool", { name: "a", tools: [], beforeTool: () => undefined }],
  ["no function", { name: "a" }],
  ["a key that there is not", { name: "a", beforeTol: () => undefined } as Hook],
  ["no time", { name: "a", timeoutMs: 0, beforeTool: () => undefined }],
])("a hook with %s is a mistake of the program that says it", (_what, hook) => {
  expect(() => hooked([hook])).toThrow(AgentError);
});

test("two hooks of one name are a mistake", () => {
  const hook: Hook = { name: "a", beforeTool: () => undefined };
  expect(() => hooked([hook, hook])).toThrow("another hook has this name");
});
