import { describe, expect, test } from "vitest";
import { ruleUses } from "../../../src/budgets/budget.ts";
import { createGate, NOTHING_BEFORE } from "../../../src/gate/create-gate.ts";
import { policyText, scene, type Scene, textOf, YES, NO } from "../gate-scene.ts";

const limited = (rule: string, autonomy = "supervised"): string =>
  `${policyText({ autonomy })}commands: { rules: [{ id: tags, ${rule}, because: Few tags are set. }] }\n`;

const ALLOW = limited("allow: 'git tag *', max: 2 per run");

const shell = async (made: Scene, command: string): Promise<string> => (await made.call("shell", { command })).kind;

describe("a limit of an allow rule", () => {
  test("a rule is used so often by a run and no more", async () => {
    const made = scene({ policy: ALLOW });
    expect([await shell(made, "git tag a"), await shell(made, "git tag b"), await shell(made, "git tag c")]).toEqual(["executed", "executed", "denied"]);
    expect(made.records("budget-moved").map(({ payload }) => payload["amounts"])).toEqual([{ "rule:tags": 1 }, { "rule:tags": 1 }]);
    expect(JSON.stringify(made.records("ruling").at(-1)?.payload["reason"])).toContain("is limited to 2 per run: 2 so far, and 1 more with this call");
  });

  test("a call uses it once for each command, and one that would use too much uses nothing", async () => {
    const made = scene({ policy: ALLOW });
    expect([await shell(made, "git tag a; git tag b; git tag c"), await shell(made, "git tag a; git tag b"), await shell(made, "git tag c")]).toEqual([
      "denied",
      "executed",
      "denied",
    ]);
  });

  test("a command that fails has used it, a refused one has not", async () => {
    const made = scene({
      policy: `${policyText()}commands: { rules: [{ id: tags, allow: 'git tag *', max: 2 per run, because: Few. }, { id: no, deny: 'git tag x', because: No. }] }\n`,
    });
    expect([await shell(made, "git tag x"), await shell(made, "git tag a"), await shell(made, "git tag a"), await shell(made, "git tag b")]).toEqual([
      "denied",
      "executed",
      "executed",
      "denied",
    ]);
  });

  test("a run that goes on has what it had left, and another run all of it", async () => {
    const made = scene({ policy: ALLOW });
    await made.call("shell", { command: "git tag a" });
    const kind = async (runId: string, command: string): Promise<string> =>
      (
        await createGate({ ...made.parts, runId }).runToolCall(
          { id: `call-${command}`, name: "shell", input: { command } },
          { signal: new AbortController().signal, emit: () => undefined },
        )
      ).kind;
    expect([await kind("run-test", "git tag b"), await kind("run-test", "git tag c"), await kind("run-other", "git tag d")]).toEqual([
      "executed",
      "denied",
      "executed",
    ]);
  });

  test("sub-agents use up what the run has", async () => {
    const made = scene({ policy: ALLOW });
    const gate = createGate(made.parts);
    const child = gate.forChild({ runId: "run-child", task: "set tags", narrowing: [] }, NOTHING_BEFORE);
    const kind = async (of: typeof gate, command: string): Promise<string> =>
      (await of.runToolCall({ id: `call-${command}`, name: "shell", input: { command } }, { signal: new AbortController().signal, emit: () => undefined }))
        .kind;
    expect([await kind(child, "git tag a"), await kind(gate, "git tag b"), await kind(child, "git tag c"), await kind(gate, "git tag d")]).toEqual([
      "executed",
      "executed",
      "denied",
      "denied",
    ]);
  });

  test("of calls at once no more than are left run", async () => {
    const made = scene({ policy: ALLOW });
    const kinds = await Promise.all(["a", "b", "c", "d"].map(async (name) => await shell(made, `git tag ${name}`)));
    expect(kinds.toSorted()).toEqual(["denied", "denied", "executed", "executed"]);
    expect(ruleUses(createGate(made.parts).budget)).toEqual(new Map([["tags", 2]]));
  });

  test("a window is free again after its time", async () => {
    const made = scene({ policy: limited("allow: 'git tag *', max: 1 per 1h") });
    expect([await shell(made, "git tag a"), await shell(made, "git tag b")]).toEqual(["executed", "denied"]);
    made.clock.advance(3_600_001);
    expect(await shell(made, "git tag c")).toBe("executed");
  });
});

describe("a limit of an ask rule", () => {
  test("counts what a person let pass, and denies beyond that", async () => {
    const answers = [NO, YES, YES];
    const made = scene({ policy: limited("ask: 'mkdir *', max: 2 per run", "full"), answer: () => answers.shift() ?? YES });
    const ends = [await shell(made, "mkdir a"), await shell(made, "mkdir b"), await shell(made, "mkdir c")];
    const last = await made.call("shell", { command: "mkdir d" });
    expect([...ends, last.kind, made.cards.length]).toEqual(["refused", "executed", "executed", "denied", 3]);
    expect(textOf(last)).toContain("Denied by rule tags");
  });

  test("a loop takes all that is left", async () => {
    const made = scene({ policy: limited("ask: 'mkdir *', max: 5 per run", "full"), answer: () => YES });
    expect([await shell(made, "for i in 1 2; do mkdir a; done"), await shell(made, "mkdir b")]).toEqual(["executed", "denied"]);
  });
});
