import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalAnswer, ApprovalCard } from "../../src/approvals/card.ts";
import type { ApprovalChannel } from "../../src/approvals/channel.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import type { AuditRecord } from "../../src/audit/entries/entry.ts";
import { loadPolicy } from "../../src/config/policy/load.ts";
import { createGate } from "../../src/gate/create-gate.ts";
import type { CallEnd, GateEvent, Sample } from "../../src/gate/gate.ts";
import type { GateParts } from "../../src/gate/gate-parts.ts";
import type { Store } from "../../src/store/store.ts";
import { resultText } from "../../src/tools/contract/tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { hostSession, type HostSession } from "../support/host-session.ts";
import { movableClock, temporaryDirectory, temporaryStore, type MovableClock } from "../support/temporary-store.ts";

/** A gate over a real policy, store, audit log and tools; the container is a double. */
export type Scene = {
  readonly workspace: string;
  readonly store: Store;
  readonly clock: MovableClock;
  readonly session: HostSession;
  readonly events: GateEvent[];
  readonly cards: ApprovalCard[];
  readonly parts: GateParts;
  /** Carries out one call and returns its end. */
  readonly call: (name: string, input: unknown, signal?: AbortSignal) => Promise<CallEnd>;
  readonly records: (kind?: AuditRecord["kind"]) => readonly AuditRecord[];
};

export type SceneOptions = {
  /** {@link policyText}; without it: supervised. */
  readonly policy?: string;
  /** What the person says to each question; absent: there is nobody to ask. */
  readonly answer?: (card: ApprovalCard, signal: AbortSignal) => ApprovalAnswer | Promise<ApprovalAnswer>;
  readonly change?: (parts: GateParts) => Partial<GateParts>;
  /** The model that writes for servers; absent: there is none. */
  readonly sample?: Sample;
};

/** A policy's text under `version` and `name`. */
export function policyText(
  change: { readonly autonomy?: string; readonly limits?: string; readonly timeout?: string; readonly workspace?: string; readonly network?: string } = {},
): string {
  const { autonomy = "supervised", limits = "{}", timeout = "300s", workspace = "bind", network = "[]" } = change;
  return `extends: base
autonomy: ${autonomy}
workspace: { roots: [{ path: ".", access: read-write }] }
limits: ${limits}
sandbox: { runtime: docker, workspace: ${workspace}, env: [], network: { allow: ${network} }, command-timeout: ${timeout}, output: 1MiB }
`;
}

export function scene(options: SceneOptions = {}): Scene {
  const root = realpathSync(temporaryDirectory());
  const workspace = join(root, "workspace");
  const home = join(root, "home");
  for (const path of [workspace, home, join(root, "policies")]) mkdirSync(path);
  const store = temporaryStore(join(root, "state"));
  const clock = movableClock();
  const policyFile = join(root, "policies", "test.yaml");
  writeFileSync(policyFile, `version: 1\nname: test\n${options.policy ?? policyText()}`);
  const { policy } = loadPolicy(policyFile, { workspace, home, stateDirectory: store.paths.directory });
  const session = hostSession(policy, workspace, home);
  const events: GateEvent[] = [];
  const cards: ApprovalCard[] = [];
  const { answer } = options;
  const channels: readonly ApprovalChannel[] =
    answer === undefined
      ? []
      : [
          {
            name: "test",
            ask: async (card, signal) => {
              cards.push(card);
              return await answer(card, signal);
            },
          },
        ];
  const base: GateParts = {
    runId: "run-test",
    policy,
    tools: createRegistry(),
    setting: { workspace, home },
    session,
    store,
    audit: { store, clock },
    clock,
    channels,
    asking: answer === undefined ? "deny" : "wait",
    approvalTimeoutMs: 60_000,
    ownPaths: [store.paths.directory, policyFile],
  };
  const parts = { ...base, ...options.change?.(base) };
  const gate = createGate(parts);
  let calls = 0;
  return {
    workspace,
    store,
    clock,
    session,
    events,
    cards,
    parts,
    call: (name, input, signal = new AbortController().signal) => {
      calls += 1;
      return gate.runToolCall(
        { id: `call-${calls}`, name, input },
        { signal, emit: (event) => void events.push(event), ...(options.sample && { sample: options.sample }) },
      );
    },
    records: (kind) => tailAudit(parts.audit, { limit: 1_000, ...(kind === undefined ? {} : { kind }) }),
  };
}

/** The text that the model reads. */
export function textOf(end: CallEnd): string {
  return resultText(end.result);
}

export const YES: ApprovalAnswer = { kind: "granted", scope: "once", by: "ann@test" };
export const YES_FOR_THE_RUN: ApprovalAnswer = { kind: "granted", scope: "this-run", by: "ann@test" };
export const NO: ApprovalAnswer = { kind: "refused", scope: "once", by: "ann@test", message: "not today" };
export const NO_FOR_THE_RUN: ApprovalAnswer = { kind: "refused", scope: "this-run", by: "ann@test" };
