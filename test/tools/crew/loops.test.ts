import { describe, expect, test } from "vitest";
import type { Delegation, DelegationEnd, ToolContext } from "../../../src/tools/contract/tool.ts";
import { agentCrewTool } from "../../../src/tools/crew/agent-crew.ts";
import { roundsOf } from "../../../src/tools/crew/loops.ts";

type Agents = Parameters<typeof agentCrewTool.execute>[0]["agents"];

/** Plays a crew; `say`: what each says in its rounds, by its name in that round. */
async function play(agents: readonly object[], say: (name: string) => string) {
  const begun: Delegation[] = [];
  const ended: string[] = [];
  const run = async (delegation: Delegation): Promise<DelegationEnd> => {
    begun.push(delegation);
    await new Promise((resolve) => void setImmediate(resolve));
    const { name = "" } = delegation;
    for (const other of delegation.after ?? []) if (!ended.includes(other)) throw new Error(`${name} began before ${other} ended.`);
    ended.push(name);
    return { kind: "ended", runId: `run-${name}`, isDone: !say(name).startsWith("FAIL"), ending: "done", text: say(name) };
  };
  const context = { handles: { agents: { run } }, progress: () => undefined } as unknown as ToolContext;
  const { content, isError } = await agentCrewTool.execute({ agents: agents.map((agent) => ({ task: "Go.", ...agent })) as Agents }, context);
  return { begun, names: begun.map(({ name }) => name), text: content[0]?.kind === "text" ? content[0].text : "", isError };
}

const REVIEWED = [
  { name: "write" },
  { name: "test", after: ["write"] },
  { name: "review", after: ["write", "test"], loop: { to: "write", when: "AGAIN", times: 3 } },
  { name: "beside" },
  { name: "docs", after: ["review", "beside"] },
];

describe("a part of a crew", () => {
  test("begins again as long as the last of it says so, and who waits for it waits for the last round", async () => {
    const { begun, names, text, isError } = await play(REVIEWED, (name) => (name === "review" || name === "review-2" ? "Not yet: AGAIN." : `${name} is fine.`));
    expect(names.filter((name) => name !== "beside")).toEqual([
      "write",
      "test",
      "review",
      "write-2",
      "test-2",
      "review-2",
      "write-3",
      "test-3",
      "review-3",
      "docs",
    ]);
    const afterOf = (name: string): readonly string[] | undefined => begun.find((each) => each.name === name)?.after;
    expect([afterOf("write"), afterOf("write-2"), afterOf("test-2"), afterOf("review-3"), afterOf("docs")]).toEqual([
      undefined,
      ["review"],
      ["write-2"],
      ["write-3", "test-3"],
      ["review-3", "beside"],
    ]);
    expect(isError).toBe(false);
    expect(text).toContain("review (round 3): sub-agent run-review-3: done");
    expect(text).toContain("What review (round 3) says:\nreview-3 is fine.");
  });

  test("begins again as often as was said, and no more", async () => {
    const { names } = await play([{ name: "a", loop: { to: "a", when: "AGAIN", times: 2 } }], () => "AGAIN and again: AGAIN");
    expect(names).toEqual(["a", "a-2", "a-3"]);
  });

  test("does not begin again once one of it failed", async () => {
    const { names, isError } = await play([{ name: "a", loop: { to: "a", when: "AGAIN", times: 9 } }], (name) => (name === "a-2" ? "FAIL AGAIN" : "AGAIN"));
    expect([names, isError]).toEqual([["a", "a-2"], true]);
  });

  test.each([
    [
      "that goes back to one that it does not wait for",
      [{ name: "a" }, { name: "b", loop: { to: "a", when: "AGAIN", times: 1 } }],
      "goes back to itself|can go back to itself",
    ],
    [
      "in two loops",
      [
        { name: "a" },
        { name: "b", after: ["a"], loop: { to: "a", when: "AGAIN", times: 1 } },
        { name: "c", after: ["b"], loop: { to: "b", when: "AGAIN", times: 1 } },
      ],
      "one loop at a time",
    ],
    ["whose later name another one has", [{ name: "a", loop: { to: "a", when: "AGAIN", times: 3 } }, { name: "a-3" }], "a-3 is the name"],
    ["whose later name is too long", [{ name: "a".repeat(31), loop: { to: "a".repeat(31), when: "AGAIN", times: 1 } }], "at most 29 characters"],
    [
      "that waits for another loop, and that one for it",
      [
        { name: "a" },
        { name: "c", after: [] },
        { name: "b", after: ["a", "c"], loop: { to: "a", when: "AGAIN", times: 1 } },
        { name: "d", after: ["c", "a"], loop: { to: "c", when: "AGAIN", times: 1 } },
      ],
      "wait for each other",
    ],
  ])("is none %s", (_what, crew, problem) => {
    expect(roundsOf(crew)).toMatch(new RegExp(problem, "u"));
  });
});
