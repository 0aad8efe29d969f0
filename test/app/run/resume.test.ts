import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { suspensionOf } from "../../../src/app/records/suspension.ts";
import { resumeRun } from "../../../src/app/run/resume.ts";
import { readContext } from "../../../src/app/setup/context.ts";
import { listApprovals, requestApproval } from "../../../src/approvals/approval.ts";
import { RESUME_TOOL } from "../../../src/approvals/card.ts";
import { archiveAudit } from "../../../src/audit/archive.ts";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { setStopSwitch } from "../../../src/gate/stop-switch.ts";
import { ownerOfThisProcess } from "../../../src/store/lock/process-owner.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { exampleCard } from "../../approvals/example-card.ts";
import { RULING } from "../../support/ruling-record.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const DEAD = "another-boot/pid:[1]/1/1";
let state = "";

beforeEach(() => {
  state = join(temporaryDirectory(), "state");
  vi.stubEnv("WARDER_HOME", state);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function withStore(work: (store: Store) => void): void {
  const store = openStore(state);
  work(store);
  store.close();
}

const started = (change: { readonly owner?: string; readonly task?: string | null } = {}): void => {
  withStore((store) => {
    const row = {
      id: "run-1",
      workspace: "/w",
      policyName: "unattended",
      policyDigest: "d",
      policyFile: null,
      model: "scripted:x",
      isUnattended: true,
      startedAtMs: 1,
    };
    store.runs.start({ ...row, owner: DEAD, task: "t", ...change });
  });
};
const resume = (run = "run-1") => resumeRun(run, { signal: new AbortController().signal, emit: () => null });

test("a run that nobody knows does not go on", async () => {
  await expect(resume("run-none")).rejects.toThrow("There is no run run-none");
});

test("a run that goes on in a living process is left alone", async () => {
  started({ owner: ownerOfThisProcess() });
  await expect(resume()).rejects.toThrow("is going on now");
});

test("one command is no conversation to go on with", async () => {
  started({ task: null });
  await expect(resume()).rejects.toThrow("was one command");
});

test.each(["done", "limit"])("a run that ended as %s is over", async (ending) => {
  started();
  withStore((store) => store.runs.end("run-1", ending, 2));
  await expect(resume()).rejects.toThrow("is over");
});

test("nothing goes on while the stop switch is engaged", async () => {
  started();
  withStore((store) => {
    setStopSwitch({ store, clock: systemClock }, "stopped", "test");
  });
  await expect(resume()).rejects.toThrow("stop switch is engaged");
});

test("a run that is stopped by itself is told how it is released", async () => {
  started();
  withStore((store) => {
    setStopSwitch({ store, clock: systemClock }, "stopped", "test", ["run:run-1"]);
  });
  await expect(resume()).rejects.toThrow("warder start --run run-1");
});

/** A run that waits for a call's question, under a policy that is named by a link; `lead` puts the link to another text. */
function parkedUnder(): { readonly lead: (text: "first" | "second") => void; readonly states: () => readonly (readonly [tool: string, state: string])[] } {
  const root = temporaryDirectory();
  const [workspace, link] = [join(root, "w"), join(root, "policy.yaml")];
  mkdirSync(workspace);
  const policy = (name: string, turns: number): void =>
    writeFileSync(join(root, name), `version: 1\nname: nightly\nextends: unattended\nlimits: { run: { turns: ${turns} } }\n`);
  policy("first", 5);
  policy("second", 6);
  const lead = (text: string): void => {
    rmSync(link, { force: true });
    symlinkSync(join(root, text), link);
  };
  lead("first");
  const context = readContext(link, workspace);
  expect(context.policyNamed).toBe(link);
  const { digest } = context.policy;
  withStore((store) => {
    const row = {
      id: "run-1",
      workspace,
      policyName: "nightly",
      policyDigest: digest,
      policyFile: context.policyNamed,
      model: "scripted:/none",
      startedAtMs: 1,
    };
    store.runs.start({ ...row, owner: DEAD, task: "t", isUnattended: true });
    const card = exampleCard({ approvalId: "approval-0000000000aa", runId: "run-1", expiresAtMs: systemClock.nowMs() + 60_000 });
    requestApproval({ store, clock: systemClock }, card, "call-1", "digest");
    store.runs.park("run-1", { owner: DEAD, approval: card.approvalId, nowMs: 2 });
  });
  const states = () => {
    let found: readonly (readonly [string, string])[] = [];
    withStore((store) => (found = listApprovals({ store, clock: systemClock }).map(({ card, state: is }) => [card.tool, is])));
    return found;
  };
  return { lead, states };
}

test("a policy that was named by a link is read where the link leads now, and a person is asked when its text is another", async () => {
  const { lead, states } = parkedUnder();
  lead("second");
  expect(await resume()).toMatchObject({ kind: "waiting" });
  expect(states()).toEqual([
    ["shell", "pending"],
    [RESUME_TOOL, "pending"],
  ]);
});

test("a policy that was changed and is as it was again wants nobody's word: the run waits for its own question", async () => {
  const { lead, states } = parkedUnder();
  lead("second");
  await resume();
  lead("first");
  // It goes on as far as a place without a model lets it.
  await expect(resume()).rejects.toThrow("/none");
  expect(states()).toEqual([
    ["shell", "pending"],
    [RESUME_TOOL, "void"],
  ]);
});

test("a run whose steps were forgotten does not begin anew", async () => {
  started();
  withStore((store) => {
    appendAudit({ store, clock: systemClock }, { run: "run-1", payload: RULING });
  });
  await expect(resume()).rejects.toThrow("conversation is no longer kept");
});

test("says how a run stopped", () => {
  started();
  withStore((store) => {
    const how = () => {
      const row = store.runs.byId("run-1");
      return row === null ? null : suspensionOf(row);
    };
    expect(how()).toBe("killed");
    store.runs.park("run-1", { owner: DEAD, approval: "approval-1", nowMs: 2 });
    expect(how()).toBe("parked");
    store.runs.end("run-1", "cancelled", 3);
    expect(how()).toBe("cancelled");
  });
});

test("a run whose records went into an archive does not go on: what it had begun is not known here", async () => {
  started();
  withStore((store) => {
    const early = { ...systemClock, nowMs: () => Date.UTC(2026, 0, 1) };
    const start = { kind: "run-start", workspace: "/w", policy: "d", autonomy: "full", task: "t", model: "scripted:x", isScripted: true } as const;
    appendAudit({ store, clock: early }, { run: "run-1", payload: start });
    appendAudit(
      { store, clock: early },
      { run: "run-1", payload: { kind: "permit-spent", call: "call-1", ruling: "r", action: "a", does: "exec", target: {} } },
    );
    store.steps.add("run-1", { kind: "note", atMs: systemClock.nowMs(), body: JSON.stringify({ text: "kept", elapsedMs: 1 }) });
  });
  await expect(resume()).rejects.toThrow("The directory /w cannot be used");
  withStore((store) => {
    archiveAudit({ store, clock: systemClock }, Date.UTC(2026, 0, 2), join(state, "archive"));
  });
  await expect(resume()).rejects.toThrow("went into an archive");
});
