import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runAgent } from "../../../src/agent/loop.ts";
import type { Strategy } from "../../../src/agent/calls/schedule.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { Hook } from "../../../src/gate/hooks/hook.ts";
import { createRunHooks } from "../../../src/gate/hooks/run-hooks.ts";
import { staticTools } from "../../../src/tools/contract/static-tools.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { brokenPairs, resultTexts } from "../../support/agent-run.ts";
import { rounds } from "../../support/extent.ts";
import { modelInProcess } from "../../support/model-in-process.ts";
import { policyText, scene } from "../gate-scene.ts";

const BEFORE = ["passes", "passes", "passes", "blocks", "throws", "hangs", "rewrites", "rewrites-into-nonsense", "says-nonsense"] as const;
const AFTER = ["passes", "passes", "masks", "marks", "throws", "hangs", "says-nonsense"] as const;

type Fate = { readonly before: (typeof BEFORE)[number]; readonly after: (typeof AFTER)[number]; readonly tool: "one" | "alone" | "no_such" };

const throws = (): never => {
  throw new Error("a hook's own");
};
const hangs = (): Promise<never> => new Promise(() => undefined);

const ANSWERS: Readonly<Record<string, () => never>> = { hangs: hangs as () => never, throws, "says-nonsense": () => ({ allow: true }) as never };

/** A hook that does to each call what its fate says. */
function fateful(fates: ReadonlyMap<string, Fate>): Hook {
  return {
    name: "fate",
    mayRewrite: true,
    timeoutMs: 2,
    beforeTool: ({ callId }) => {
      const fate = fates.get(callId)?.before ?? "passes";
      if (fate === "blocks") return { block: "no" };
      if (fate === "rewrites") return { rewrite: { by: "hook" } };
      return fate === "rewrites-into-nonsense" ? { rewrite: [] as never } : ANSWERS[fate]?.();
    },
    afterTool: ({ callId }) => {
      const fate = fates.get(callId)?.after ?? "passes";
      if (fate === "masks") return { text: "masked" };
      return fate === "marks" ? { isError: true } : ANSWERS[fate]?.();
    },
  };
}

/** What the model must read of a call, whatever became of the others. */
function isAsFated(text: string, { before, after, tool }: Fate): boolean {
  if (tool === "no_such") return text.includes("Tool not found");
  if (after === "masks") return text.includes("masked") && !text.includes("ran");
  const isDenied = !["passes", "rewrites"].includes(before);
  if (isDenied) return text.includes("Denied by hook fate");
  if (after !== "passes" && after !== "marks") return text.includes("Withheld");
  return text.includes(before === "rewrites" ? 'ran {"by":"hook"}' : "ran {}");
}

test("as many results as calls, in their order, and each as its hooks leave it: over hooks that block, throw, hang, rewrite and mask", async () => {
  const fates = new Map<string, Fate>();
  const ran = (input: unknown): string => `ran ${JSON.stringify(input)}`;
  const beside = staticTools({ one: ran }, { exclusiveSandbox: false, parallelSafe: true });
  const tools = createRegistry(BUILT_IN_TOOLS, [...beside, ...staticTools({ alone: ran })]);
  const hook = fateful(fates);
  const made = scene({ policy: `${policyText({ autonomy: "full" })}tools: { allow: [one, alone] }\n`, change: () => ({ tools, hooks: [hook] }) });
  const fate = fc.record({
    before: fc.constantFrom(...BEFORE),
    after: fc.constantFrom(...AFTER),
    tool: fc.constantFrom("one", "one", "one", "alone", "no_such"),
  });
  const strategy: fc.Arbitrary<Strategy> = fc.oneof(
    fc.constant({ kind: "sequential" } as const),
    fc.record({ kind: fc.constant("parallel" as const), atOnce: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ kind: fc.constant("batched" as const), size: fc.integer({ min: 1, max: 4 }) }),
  );
  const numRuns = rounds(40, 2_000);
  let played = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fate, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }), strategy, async (turns, how) => {
      played += 1;
      const calls = turns.map((turn, index) => turn.map((each, place) => ({ ...each, callId: `c${played}_${index}_${place}` })));
      fates.clear();
      for (const each of calls.flat()) fates.set(each.callId, each);
      const gate = createGate(made.parts);
      const { end, messages } = await runAgent({
        runId: "run-test",
        task: "Go.",
        workspace: made.workspace,
        provider: modelInProcess((_request, answers) => ({
          calls: (calls[answers] ?? []).map(({ callId, tool: name }) => ({ callId, name, inputText: "{}" })),
        })),
        systemPrompt: "",
        tools: () => [],
        runToolCall: gate.runToolCall,
        planCall: gate.planCall,
        strategy: how,
        hooks: createRunHooks([hook]),
        limits: { turns: 50, tokens: 1e9, minutes: 10 },
        signal: new AbortController().signal,
        emit: () => undefined,
        clock: systemClock,
        journal: { record: () => undefined },
      });
      expect(brokenPairs(messages)).toEqual([]);
      // A run may end early, because the same was refused or came out again and again; what it answered is as fated all the same.
      const texts = resultTexts(messages);
      const wanted = calls.flat().slice(0, texts.length);
      const odd = wanted.flatMap((each, index) => {
        const text = texts[index] ?? "";
        return isAsFated(text, each) || text.includes("Not started: the run is ending") ? [] : [[each, text]];
      });
      expect(odd).toEqual([]);
      expect(end.kind === "done" ? texts.length : calls.flat().length).toBe(calls.flat().length);
    }),
    { numRuns },
  );
  expect(played).toBe(numRuns);
});
