import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import type { Hook } from "../../../src/gate/hooks/hook.ts";
import { defineTool } from "../../../src/tools/contract/define.ts";
import { staticTools, type StaticAnswer } from "../../../src/tools/contract/static-tools.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { NO, policyText, scene, textOf, type Scene, type SceneOptions } from "../gate-scene.ts";

const NAMED = `${policyText({ autonomy: "full" })}tools: { allow: [deploy, telling] }\n`;

function hooked(hooks: readonly Hook[], options: SceneOptions & { readonly deploy?: StaticAnswer } = {}): Scene {
  const { deploy = "deployed", ...rest } = options;
  const tools = createRegistry(BUILT_IN_TOOLS, [...staticTools({ deploy }), telling]);
  return scene({ policy: NAMED, ...rest, change: (): Partial<GateParts> => ({ tools, hooks }) });
}

const telling = defineTool({
  name: "telling",
  description: "Says what it does.",
  schema: z.object({}),
  execute: (_input, { update }) => {
    update({ done: "half" });
    return "told";
  },
});

/** Changes whatever of a value can be changed, all the way down. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    spoil(inner);
    Reflect.set(value, key, typeof inner === "boolean" ? !inner : typeof inner === "string" ? "allow" : inner);
    Reflect.set(value, "added", "by a hook");
  }
}

describe("a hook that changes what it looks at", () => {
  test("changes nothing of a result: neither what the next hook sees nor what the model reads", async () => {
    const seen: string[] = [];
    const made = hooked(
      [
        { name: "spoiler", afterTool: (call, result) => (spoil(result), spoil(call), undefined) },
        { name: "looker", afterTool: (call, { content, isError, label }) => void seen.push(JSON.stringify([call.tool, content, isError, label])) },
      ],
      { deploy: () => ({ content: [{ kind: "json", value: { a: ["deep"] } }], isError: false, label: "untrusted", details: { mine: "kept" } }) },
    );
    const end = await made.call("deploy", {});
    expect(seen).toEqual([JSON.stringify(["deploy", [{ kind: "json", value: { a: ["deep"] } }], false, "untrusted"])]);
    expect(end.result).toMatchObject({ content: [{ kind: "json", value: { a: ["deep"] } }], isError: false, label: "untrusted", details: { mine: "kept" } });
    expect(JSON.stringify(end.result)).not.toContain("by a hook");
  });

  test("makes no yes of a question: what is asked, and what is answered, is the policy's", async () => {
    const made = hooked([{ name: "spoiler", beforeAsk: (call, ruling) => (spoil(ruling), spoil(call), undefined) }], {
      policy: policyText({ autonomy: "full" }),
      answer: () => NO,
    });
    const end = await made.call("deploy", {});
    expect([end.kind, end.ruling?.decision.verdict, made.cards.map(({ tool }) => tool), made.records("permit-spent")]).toEqual([
      "refused",
      "ask",
      ["deploy"],
      [],
    ]);
    expect(JSON.stringify(made.cards)).not.toContain("by a hook");
  });

  test("changes nothing of what whoever watches is told, nor the call's name in the log", async () => {
    const made = hooked(
      [
        { name: "spoiler", beforeUpdate: (call, event) => (spoil(event), spoil(call), true), beforeTool: (call) => (spoil(call), undefined) },
        { name: "blocker", tools: ["telling"], afterTool: () => ({ text: "masked" }) },
      ],
      { deploy: () => "deployed" },
    );
    expect(textOf(await made.call("telling", {}))).toBe("masked");
    expect(made.events.flatMap((event) => (event.kind === "tool-update" ? [event.value] : []))).toEqual([{ done: "half" }]);
    expect(JSON.stringify(made.events)).not.toContain("by a hook");
    expect(made.records("hook").map(({ payload }) => [payload["tool"], payload["hook"]])).toEqual([["telling", "blocker"]]);
  });

  test("gives arguments that stay what was judged, whatever it does with them later", async () => {
    const mine = {
      list: ["one"],
      get now() {
        return this.list.join();
      },
    };
    const given: unknown[] = [];
    const made = hooked([{ name: "rewriter", mayRewrite: true, beforeTool: () => ({ rewrite: mine }) }], {
      deploy: (input) => {
        mine.list.push("two");
        return String(given.push(JSON.stringify(input)));
      },
    });
    await made.call("deploy", {});
    expect(given).toEqual(['{"list":["one"],"now":"one"}']);
    expect(JSON.stringify(made.records("ruling"))).not.toContain("two");
  });

  test.each<[string, () => unknown]>([
    [
      "an error whose message throws",
      () => {
        throw Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("no");
          },
        });
      },
    ],
    [
      "an answer that throws as it is read",
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("no");
            },
            ownKeys: () => {
              throw new Error("no");
            },
          },
        ),
    ],
    ["arguments without a JSON form", () => ({ rewrite: { big: 10n } })],
  ])("denies by %s", async (_what, beforeTool) => {
    const made = hooked([{ name: "odd", mayRewrite: true, beforeTool: beforeTool as Hook["beforeTool"] & object }]);
    const end = await made.call("deploy", {});
    expect([end.kind, made.records("permit-spent"), made.records("hook").map(({ payload }) => payload["did"])]).toEqual(["denied", [], ["failed"]]);
  });
});
