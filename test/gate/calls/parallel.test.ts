import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { listApprovals } from "../../../src/approvals/approval.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { CallEnd } from "../../../src/gate/gate.ts";
import { defineTool } from "../../../src/tools/contract/define.ts";
import type { ToolCall } from "../../../src/tools/contract/tool.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { policyText, scene, textOf, YES, type Scene } from "../gate-scene.ts";

const FULL = policyText({ autonomy: "full" });

/** Carries out all calls at once, as the loop does with those that may. */
async function atOnce({ parts }: Scene, wanted: readonly { readonly name: string; readonly input: unknown }[]): Promise<readonly CallEnd[]> {
  const gate = createGate(parts);
  const calls: readonly ToolCall[] = wanted.map((call, index) => ({ id: `call-${index + 1}`, ...call }));
  return await Promise.all(
    calls.map((call, index) => gate.runToolCall(call, { signal: new AbortController().signal, emit: () => null, following: calls.slice(index + 1) })),
  );
}

const readsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ name: "read_file", input: { path: `f${index}` } }));
const writesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: "write_file", input: { path: `new/f${index}`, content: `${index}` } }));

/** For each call, the kinds of its records in their order. */
function storyOf(scenery: Scene): ReadonlyMap<string, readonly string[]> {
  const story = new Map<string, string[]>();
  for (const { kind, payload } of scenery.records()) {
    const call = payload["call"];
    if (typeof call === "string") story.set(call, [...(story.get(call) ?? []), kind]);
  }
  return story;
}

describe("calls that run beside each other", () => {
  test("each have their ruling and permit on disk before they act, and their outcome after, in a log that is whole", async () => {
    const made = scene({ policy: FULL });
    for (let index = 0; index < 10; index += 1) writeFileSync(join(made.workspace, `f${index}`), `${index}\n`);
    const perform = made.session.perform.bind(made.session);
    const before: string[][] = [];
    // A disk that takes its time: what acts without waiting for its permit is there first.
    vi.spyOn(globalThis, "setImmediate").mockImplementation(((write: () => void) => setTimeout(write, 50)) as never);
    Object.assign(made.session, {
      perform: async (...action: Parameters<typeof perform>) => {
        before.push(made.records("permit-spent").flatMap(({ payload }) => (payload["action"] === action[0].actionDigest ? [String(payload["call"])] : [])));
        return await perform(...action);
      },
    });
    const ends = await atOnce(made, [...readsOf(10), ...writesOf(3)]);
    expect(ends.map(({ kind }) => kind)).toEqual(Array.from({ length: 13 }, () => "executed"));
    expect(before.length).toBeGreaterThanOrEqual(13);
    expect(before.every((calls) => calls.length === 1)).toBe(true);
    for (const [call, kinds] of storyOf(made)) expect([call, kinds.filter((kind) => kind !== "permit-spent")]).toEqual([call, ["call", "ruling", "outcome"]]);
    for (const kinds of storyOf(made).values()) expect(kinds.indexOf("ruling")).toBeLessThan(kinds.indexOf("permit-spent"));
    expect(verifyAudit(made.parts.audit)).toMatchObject({ isIntact: true, problems: [], interrupted: [] });
  });

  test("together never exceed a limit", async () => {
    const made = scene({ policy: policyText({ autonomy: "full", limits: "{ actions: { max: 3, per: 1h } }" }) });
    const ends = await atOnce(made, writesOf(8));
    expect(ends.filter(({ kind }) => kind === "executed")).toHaveLength(3);
    expect(ends.filter(({ kind }) => kind === "budget")).toHaveLength(5);
    const written = writesOf(8).filter(({ input }) => readable(join(made.workspace, input.path)));
    expect(written).toHaveLength(3);
  });

  test("ask a person one after the other, each once, and each yes is used once", async () => {
    let open = 0;
    let most = 0;
    const made = scene({
      answer: async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => void setTimeout(resolve, 20));
        open -= 1;
        return YES;
      },
    });
    const ends = await atOnce(made, writesOf(4));
    expect(ends.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => "executed"));
    expect(most).toBe(1);
    expect(made.cards).toHaveLength(4);
    const { store, clock } = made;
    expect(listApprovals({ store, clock }, {}).map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => "consumed"));
  });

  test("look beside each other, and change nothing beside anything", async () => {
    const made = scene({ policy: FULL });
    for (let index = 0; index < 4; index += 1) writeFileSync(join(made.workspace, `f${index}`), `${index}\n`);
    const perform = made.session.perform.bind(made.session);
    const going: string[] = [];
    const met = new Set<string>();
    Object.assign(made.session, {
      perform: async (...action: Parameters<typeof perform>) => {
        going.push(action[1].kind);
        if (going.length > 1) met.add(going.toSorted().join(" "));
        await new Promise((resolve) => void setTimeout(resolve, 20));
        going.splice(going.indexOf(action[1].kind), 1);
        return await perform(...action);
      },
    });
    const [reads, writes] = [readsOf(4), writesOf(3)];
    await atOnce(made, [...writes.slice(0, 1), ...reads.slice(0, 2), ...writes.slice(1), ...reads.slice(2)]);
    expect([...met].every((kinds) => /^(?:read-file ?)+$/u.test(kinds))).toBe(true);
    expect(met.size).toBeGreaterThan(0);
  });

  test("of one tool's actions the first spends what its call takes, also where it reads two files at once", async () => {
    const both = defineTool({
      name: "join_files",
      description: "",
      schema: z.object({}),
      requests: (_input, { workspace }) => [
        ...["f0", "f1"].map((name) => ({ kind: "read", path: join(workspace, name), isRecursive: false }) as const),
        { kind: "write", path: join(workspace, "joined") },
      ],
      execute: async (_input, { handles: { files }, workspace }) => {
        const read = await Promise.all(["f0", "f1"].map((name) => files.read(join(workspace, name), 0, 100)));
        return [...read, await files.write(join(workspace, "joined"), "x")].map(({ kind }) => kind).join(" ");
      },
    });
    const made = scene({
      policy: policyText({ autonomy: "full", limits: "{ actions: { max: 1, per: 1h } }" }),
      change: () => ({ tools: createRegistry([...BUILT_IN_TOOLS, both]) }),
    });
    for (const name of ["f0", "f1"]) writeFileSync(join(made.workspace, name), "x\n");
    const [end] = await atOnce(made, [{ name: "join_files", input: {} }]);
    expect(end?.kind).toBe("executed");
    expect(end === undefined ? "" : textOf(end)).toContain("completed completed completed");
  });

  test("park with one set of questions: none twice, and none for what ran meanwhile", async () => {
    const made = scene({ change: () => ({ asking: "park" }) });
    writeFileSync(join(made.workspace, "f0"), "x\n");
    const ends = await atOnce(made, [...readsOf(1), ...writesOf(3)]);
    expect(ends.map(({ kind }) => kind)).toEqual(["executed", "parked", "parked", "parked"]);
    const { store, clock } = made;
    expect(listApprovals({ store, clock }, { state: "pending" })).toHaveLength(3);
  });
});

function readable(path: string): boolean {
  try {
    return readFileSync(path, "utf8") !== "";
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
