import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runAgent } from "../../src/agent/loop.ts";
import { journalOf } from "../../src/app/run/journal.ts";
import { profileOf } from "../../src/app/setup/profile.ts";
import { togetherOf } from "../../src/audit/chain/record.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { systemClock } from "../../src/base/clock.ts";
import { newId } from "../../src/base/ids.ts";
import { createGate } from "../../src/gate/create-gate.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { brokenPairs, resultTexts } from "../support/agent-run.ts";
import { describeWithDocker } from "../support/docker.ts";
import { modelInProcess } from "../support/model-in-process.ts";
import { policyText, scene } from "./gate-scene.ts";

/** A run over a real container, log and journal: `turns` are the calls of each turn. */
async function run(turns: readonly (readonly { readonly name: string; readonly input: unknown }[])[]) {
  const base = scene({ policy: policyText({ autonomy: "full", workspace: "transactional" }) });
  for (let index = 0; index < 10; index += 1) writeFileSync(join(base.workspace, `f${index}`), `content of ${index}\n`);
  const { policy, setting, ownPaths, store } = base.parts;
  const runId = newId("run");
  const runDirectory = join(store.paths.runs, runId);
  mkdirSync(runDirectory, { mode: 0o700 });
  const session = await dockerRuntime().open(profileOf(policy, { ...setting, ownPaths, environment: {} }), { runId, runDirectory });
  onTestFinished(() => session.close());
  const parts = { ...base.parts, runId, session };
  const gate = createGate(parts);
  const { messages } = await runAgent({
    runId,
    task: "Go.",
    workspace: setting.workspace,
    provider: modelInProcess((_request, answers) => ({
      calls: (turns[answers] ?? []).map(({ name, input }, index) => ({ callId: `c${answers}_${index}`, name, inputText: JSON.stringify(input) })),
    })),
    systemPrompt: "",
    tools: () => [],
    runToolCall: gate.runToolCall,
    planCall: gate.planCall,
    traitsOf: gate.traitsOf,
    limits: { turns: 500, tokens: 1e9, minutes: 10 },
    journal: journalOf({ audit: parts.audit, runId }, gate.seen, () => "test:model"),
    signal: new AbortController().signal,
    emit: () => undefined,
    clock: systemClock,
  });
  const records = tailAudit(parts.audit, { run: runId, limit: 10_000 });
  const transactions = new Map(store.audit.page(0, 1_000_000, 100_000).map((row) => [row.seq, togetherOf(row)]));
  /** How often the disk was waited for in a turn: each record says which is the last of its transaction. */
  const transactionsOf = (turn: number): number => {
    const own = records.filter(({ payload }) => String(payload["call"]).startsWith(`c${turn}_`));
    return new Set(own.map(({ seq }) => transactions.get(seq))).size;
  };
  return { messages, parts, records, transactionsOf };
}

const read = (index: number) => ({ name: "read_file", input: { path: `f${index}` } });
const TEN = Array.from({ length: 10 }, (_, index) => read(index));

describeWithDocker("calls beside each other over a real container", () => {
  test("ten reads in one turn wait for the disk at most three times as often as one, and all have their permit before", async () => {
    const turns = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? [read(0)] : TEN));
    const { messages, parts, records, transactionsOf } = await run(turns);
    expect(brokenPairs(messages)).toEqual([]);
    expect(resultTexts(messages)).toHaveLength(6 * 11);
    expect(resultTexts(messages).every((text) => text.includes("content of"))).toBe(true);
    expect(verifyAudit(parts.audit)).toMatchObject({ isIntact: true, interrupted: [] });
    expect(records.filter(({ kind }) => kind === "permit-spent")).toHaveLength(6 * 11);
    expect(transactionsOf(0)).toBeGreaterThan(1);
    const ratios = turns.flatMap((_, turn) => (turn % 2 === 1 ? [transactionsOf(turn) / transactionsOf(turn - 1)] : []));
    expect(ratios.toSorted((one, other) => one - other)[3]).toBeLessThanOrEqual(3);
  });

  test("edits of one file in one turn keep their order, beside reads of others", async () => {
    const edit = (from: string, to: string) => ({ name: "edit_file", input: { path: "f0", old_string: from, new_string: to } });
    const { messages } = await run([[edit("content of 0", "one"), edit("one", "two"), read(1), edit("two", "three")], [read(0)]]);
    expect(resultTexts(messages).at(-1)).toContain("three\n");
    expect(resultTexts(messages).every((text) => !text.includes("failed"))).toBe(true);
  });
});
