import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { createAgent, type AgentEvent, type AgentSpec, type Price } from "../../src/index.ts";
import type { AuditRecord } from "../../src/audit/entries/entry.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import { withRecords } from "../../src/app/records/records.ts";
import type { RunSummary } from "../../src/app/run/summary.ts";
import { agentsInProcess, type Heard, type Parts } from "./agents-in-process.ts";
import { makePlace } from "./warder-cli.ts";

export type Played = {
  readonly runId: string;
  readonly end: { readonly kind: string; readonly turns: number; readonly text: string; readonly reason: string };
  readonly summary: RunSummary;
  readonly heard: readonly Heard[];
  readonly events: readonly AgentEvent[];
  readonly records: readonly AuditRecord[];
};

export const PRICE: Price = { inputUsd: 10, cachedUsd: 10, outputUsd: 0 };

export type Change = {
  /** What the policy says beside `extends: unattended`. */
  readonly policy?: string;
  readonly spec?: Partial<AgentSpec>;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
  /** What an answer waits for, by whose it is. */
  readonly before?: (task: string) => Promise<unknown>;
};

export type FamilyPlace = ReturnType<typeof makePlace> & { readonly policy: string; readonly play: (parts: Parts, change?: Change) => Promise<Played> };

/** A place in which a run and its sub-agents are played: a real engine, store and log; the models' words are given. */
export function familyPlace(): FamilyPlace {
  const here = makePlace();
  onTestFinished(() => here.remove());
  vi.stubEnv("HOME", here.home);
  vi.stubEnv("WARDER_HOME", here.state);
  const policy = join(here.root, "own.yaml");
  const play = async (parts: Parts, change: Change = {}): Promise<Played> => {
    writeFileSync(policy, `version: 1\nname: own\nextends: unattended\n${change.policy ?? ""}`);
    const { provider, heard } = agentsInProcess(parts, change.before);
    const agent = createAgent({ policy, model: { provider, price: PRICE }, workspace: here.workspace, ...change.spec });
    const run = agent.run("Main.", change.signal === undefined ? {} : { signal: change.signal });
    const events: AgentEvent[] = [];
    for await (const event of run) {
      events.push(event);
      change.onEvent?.(event);
    }
    const { end, summary } = await run.result;
    return { runId: run.id, end, summary, heard, events, records: recordsHere() };
  };
  return { ...here, policy, play };
}

export function recordsHere(): readonly AuditRecord[] {
  return withRecords(({ audit }) => tailAudit(audit, { limit: 10_000 }));
}

/** The runs of sub-agents, in the order they were started. */
export function childrenIn(records: readonly AuditRecord[]): readonly string[] {
  return records.flatMap(({ kind, run, payload }) => (kind === "run-start" && typeof payload["parent"] === "string" ? [run ?? ""] : []));
}

/** What was decided of the calls of a run: tool, verdict, and the rule that decided. */
export function rulingsOf(records: readonly AuditRecord[], run: string): readonly string[] {
  return records.flatMap(({ kind, run: of, payload }) =>
    kind === "ruling" && of === run
      ? [`${String(payload["tool"])} ${String(payload["verdict"])} ${String((payload["rules"] as { id: string }[])[0]?.id)}`]
      : [],
  );
}
