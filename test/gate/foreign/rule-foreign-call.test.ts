import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answerApproval, listApprovals } from "../../../src/approvals/approval.ts";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { loadPolicy } from "../../../src/config/policy/load.ts";
import type { ForeignEnd, ForeignParts } from "../../../src/gate/foreign/foreign-call.ts";
import { ruleForeignCall } from "../../../src/gate/foreign/rule-foreign-call.ts";
import { setStopSwitch } from "../../../src/gate/stop-switch.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";

type Foreign = {
  readonly parts: ForeignParts;
  readonly run: (text: string, change?: { readonly canAsk?: boolean; readonly parts?: Partial<ForeignParts> }) => Promise<ForeignEnd>;
};

function foreign(policy = "extends: supervised"): Foreign {
  const root = realpathSync(temporaryDirectory());
  const [workspace, home, state] = [join(root, "workspace"), join(root, "home"), join(root, "state")];
  for (const path of [workspace, home, state]) mkdirSync(path);
  const file = join(root, "policy.yaml");
  writeFileSync(file, `version: 1\nname: test\n${policy}\n`);
  const loaded = loadPolicy(file, { workspace, home, stateDirectory: state });
  const store = temporaryStore(state);
  const clock = movableClock();
  const parts: ForeignParts = {
    policy: loaded.policy,
    setting: { workspace, home },
    ownPaths: [state],
    store,
    audit: { store, clock },
    clock,
    runId: "codex:1",
    approvalTimeoutMs: 60_000,
    isShadow: false,
  };
  let calls = 0;
  return {
    parts,
    run: async (text, { canAsk = false, parts: change = {} } = {}) => {
      calls += 1;
      return await ruleForeignCall(
        { ...parts, ...change },
        {
          callId: `call-${String(calls)}`,
          tool: "shell",
          input: { command: text },
          cwd: workspace,
          requests: [{ kind: "command", text, cwd: workspace }],
          canAsk,
        },
      );
    },
  };
}

const kinds = ({ parts }: Foreign): readonly string[] => tailAudit(parts.audit, { run: parts.runId, limit: 100 }).map(({ kind }) => kind);

describe("a call of another agent", () => {
  test("is recorded with its ruling before it is answered, and what it was told", async () => {
    const here = foreign();
    expect(await here.run("git status")).toMatchObject({ verdict: "allow" });
    expect(await here.run("rm -rf /")).toMatchObject({ verdict: "deny", text: expect.stringContaining("Denied by rule") as string });
    expect(kinds(here)).toEqual(["call", "ruling", "hook-answered", "call", "ruling", "hook-answered"]);
    expect(tailAudit(here.parts.audit, { kind: "hook-answered", limit: 9 }).map(({ payload }) => payload["answer"])).toEqual(["allow", "deny"]);
    expect(verifyAudit(here.parts.audit).isIntact).toBe(true);
  });

  test("is judged as if nothing contained it, whatever the policy allows inside a sandbox", async () => {
    const here = foreign("extends: unattended");
    expect((await here.run("python3 -c 'print(1)'")).verdict).not.toBe("allow");
  });

  test("uses a rule so often as its limit says, in one session of the agent", async () => {
    const here = foreign("extends: supervised\ncommands: { rules: [{ id: tags, ask: 'git tag *', max: 1 per run, because: Few. }] }");
    const ends = [await here.run("git tag a", { canAsk: true }), await here.run("git tag b", { canAsk: true })];
    expect(ends.map(({ verdict }) => verdict)).toEqual(["ask", "deny"]);
    expect((await here.run("git tag c", { canAsk: true, parts: { runId: "codex:2" } })).verdict).toBe("ask");
  });

  test("is asked about by its agent where that can be, and only recorded here", async () => {
    const here = foreign();
    expect(await here.run("echo x > a", { canAsk: true })).toMatchObject({ verdict: "ask" });
    expect(listApprovals({ store: here.parts.store, clock: here.parts.clock })).toEqual([]);
  });

  test("waits for a person otherwise: one yes is for the same call, once", async () => {
    const here = foreign();
    const approvals = { store: here.parts.store, clock: here.parts.clock };
    const first = await here.run("echo x > a");
    const [question] = listApprovals(approvals);
    expect(first).toMatchObject({ verdict: "deny", text: expect.stringContaining(`warder approvals show ${question?.id ?? "?"}`) as string });
    expect((await here.run("echo x > a")).verdict).toBe("deny");
    expect(listApprovals(approvals)).toHaveLength(1);
    answerApproval(approvals, question?.id ?? "", { kind: "granted", scope: "once", by: "ada" });
    expect((await here.run("echo y > a")).verdict).toBe("deny");
    expect((await here.run("echo x > a", { parts: { runId: "codex:2" } })).verdict).toBe("deny");
    expect(await here.run("echo x > a")).toMatchObject({ verdict: "allow", text: "Approved by ada." });
    expect((await here.run("echo x > a")).verdict).toBe("deny");
    expect(verifyAudit(here.parts.audit).isIntact).toBe(true);
  });

  test("stays approved for the session, or refused, if the person said so", async () => {
    const here = foreign();
    const approvals = { store: here.parts.store, clock: here.parts.clock };
    const answer = async (text: string, kind: "granted" | "refused"): Promise<void> => {
      await here.run(text);
      const [question] = listApprovals(approvals, { state: "pending" });
      answerApproval(approvals, question?.id ?? "", { kind, scope: "this-run", by: "ada" });
    };
    await answer("echo x > a", "granted");
    expect([(await here.run("echo x > a")).verdict, (await here.run("echo x > a")).verdict]).toEqual(["allow", "allow"]);
    await answer("echo x > b", "refused");
    expect(await here.run("echo x > b", { canAsk: true })).toMatchObject({ verdict: "deny", text: expect.stringContaining("Refused by a person") as string });
  });

  test("what wants a one-time code is never left to the agent's own question", async () => {
    const here = foreign("extends: supervised\napprovals: { codes: [writes] }");
    expect(await here.run("echo x > a", { canAsk: true })).toMatchObject({ verdict: "deny", text: expect.stringContaining("warder approvals show") as string });
  });

  test("counts against the limits of the policy over all sessions", async () => {
    const here = foreign("extends: supervised\nlimits: { calls: { max: 2, per: 1h } }");
    expect((await here.run("git status")).verdict).toBe("allow");
    expect((await here.run("git status", { parts: { runId: "codex:2" } })).verdict).toBe("allow");
    expect(await here.run("git status")).toMatchObject({ verdict: "deny", text: expect.stringContaining("budget-calls") as string });
  });

  test("that a person approved is an action as one that the policy allows", async () => {
    const here = foreign("extends: supervised\nlimits: { actions: { max: 1, per: 1h } }");
    const approvals = { store: here.parts.store, clock: here.parts.clock };
    await here.run("echo x > a");
    const [question] = listApprovals(approvals, { state: "pending" });
    answerApproval(approvals, question?.id ?? "", { kind: "granted", scope: "this-run", by: "ada" });
    expect((await here.run("echo x > a")).verdict).toBe("allow");
    expect(await here.run("echo x > a")).toMatchObject({ verdict: "deny", text: expect.stringContaining("actions") as string });
  });

  test("is refused under the stop switch, and by itself in its session", async () => {
    const here = foreign();
    setStopSwitch(here.parts.audit, "stopped", "ada", ["run:codex:1"]);
    expect((await here.run("git status")).verdict).toBe("deny");
    expect((await here.run("git status", { parts: { runId: "codex:2" } })).verdict).toBe("allow");
  });

  test("in the shadow is recorded, spends nothing and asks nobody", async () => {
    const here = foreign("extends: supervised\nlimits: { calls: { max: 1, per: 1h } }");
    const parts = { isShadow: true };
    for (const text of ["echo x > a", "rm -rf /", "git status"]) await here.run(text, { parts });
    expect(tailAudit(here.parts.audit, { kind: "hook-answered", limit: 9 }).map(({ payload }) => [payload["answer"], payload["isShadow"]])).toEqual([
      ["ask", true],
      ["deny", true],
      ["allow", true],
    ]);
    expect(listApprovals({ store: here.parts.store, clock: here.parts.clock })).toEqual([]);
    expect((await here.run("git status")).verdict).toBe("allow");
  });

  test("is not answered when it cannot be recorded", async () => {
    const here = foreign();
    await here.run("git status");
    writeFileSync(join(here.parts.store.paths.keys, "audit.head"), "");
    await expect(here.run("git status")).rejects.toThrow(/audit/u);
  });
});
