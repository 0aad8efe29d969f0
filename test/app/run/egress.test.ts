import { renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { storedPath } from "../../../src/app/records/stored-path.ts";
import { egressOptions } from "../../../src/app/run/egress.ts";
import { setStopSwitch } from "../../../src/gate/stop-switch.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { policyOf, policyText } from "../../policy/bench.ts";
import { temporaryAudit, temporaryStore } from "../../support/temporary-store.ts";

const USE = { credential: "a-token", host: "api.example.org", port: 443, method: "GET", path: "/v1/items" };

function open(limits = "", policy: Policy = policyOf(policyText(limits))) {
  const store = temporaryStore();
  const audit = temporaryAudit(store);
  const options = egressOptions(
    { policy, workspace: "/home/dev/project", home: "/home/dev", policyNamed: "/srv/policy.yaml", ownPaths: [], base: null },
    { store, audit, approvals: { store, clock: audit.clock } },
    { runId: "run-1", job: null },
  );
  const records = () => tailAudit(audit, { limit: 100 }).map(({ kind, payload }) => [kind, payload["decision"], payload["reason"]]);
  const spentOf = (runId: string, allow = "allow: [api.example.org]") =>
    egressOptions(
      {
        policy: policyOf(policyText(`sandbox: { network: { ${allow} } }`)),
        workspace: "/home/dev/project",
        home: "/home/dev",
        policyNamed: "/srv/policy.yaml",
        ownPaths: [],
        base: null,
      },
      { store, audit, approvals: { store, clock: audit.clock } },
      { runId, job: null },
    ).spent;
  return { store, audit, records, spentOf, use: () => options.onCredentialUse?.(USE), connect: options.onConnection! };
}

test("a use is an action: those of the policy's limit are granted, and each is recorded", () => {
  const { use, records } = open("limits: { actions: { max: 2, per: 1h } }");
  expect([use(), use(), use()]).toEqual([true, true, false]);
  expect(records()).toEqual([
    ["credential-used", "allow", "credential"],
    ["credential-used", "allow", "credential"],
    ["credential-used", "deny", "budget-actions"],
  ]);
});

test("a use is refused while the stop switch is engaged", () => {
  const { use, audit, records } = open();
  setStopSwitch(audit, "stopped", "a test");
  expect(use()).toBe(false);
  expect(records().at(-1)).toEqual(["credential-used", "deny", "stop-switch"]);
});

test("a use that cannot be recorded is no use, and costs nothing", () => {
  const { use, store, audit } = open("limits: { actions: { max: 1, per: 1h } }");
  setStopSwitch(audit, "running", "a test");
  renameSync(store.paths.keys, `${store.paths.keys}-away`);
  expect(use).toThrow("The audit log cannot be continued");
  rmSync(store.paths.keys, { recursive: true, force: true });
  renameSync(`${store.paths.keys}-away`, store.paths.keys);
  expect(use()).toBe(true);
});

test("what looks like a secret in a path is not recorded", () => {
  const { connect, audit } = open();
  const token = `ghp_${"a".repeat(36)}`;
  connect({
    via: "http",
    host: "api.example.org",
    port: 443,
    address: "192.0.2.1",
    request: { method: "GET", path: `/v1/${token}`, credentials: [] },
    decision: "allow",
    reason: "closed",
    bytesUp: 0,
    bytesDown: 0,
    durationMs: 1,
  });
  expect(JSON.stringify(tailAudit(audit, { limit: 1 }))).not.toContain(token);
});

test("a secret that a path would be cut in the middle of leaves nothing", () => {
  const audit = { ...temporaryAudit(temporaryStore()), redact: (text: string) => text.replaceAll("known-secret", "[redacted]") };
  expect(storedPath(`/${"x".repeat(505)}known-secret/more`, audit)).toBe(`/${"x".repeat(505)}[redac`);
});

test("what a run sent and got before counts when it goes on, and another run's does not", () => {
  const { connect, spentOf } = open();
  const record = { via: "http", port: 80, address: null, request: null, decision: "allow", reason: "closed", durationMs: 1 } as const;
  connect({ ...record, host: "a.example.org", bytesUp: 10, bytesDown: 100 });
  connect({ ...record, host: "b.example.org", bytesUp: 1, bytesDown: 2 });
  connect({ ...record, host: "a.example.org", decision: "deny", reason: "bytes-spent", bytesUp: 5, bytesDown: 0 });
  expect([...(spentOf("run-1") ?? [])]).toEqual([
    ["a.example.org", { bytesUp: 15, bytesDown: 100, records: 2 }],
    ["b.example.org", { bytesUp: 1, bytesDown: 2, records: 1 }],
  ]);
  expect(spentOf("run-2")?.size).toBe(0);
});

test("names that a registry did not have count when the run goes on", () => {
  const { connect, spentOf } = open();
  const request = { method: "GET", path: "/secret-part-1", credentials: [] };
  const record = { via: "http", host: "a.example.org", port: 80, address: null, request, decision: "allow", bytesUp: 0, bytesDown: 0, durationMs: 1 } as const;
  for (const reason of ["closed", "not-found", "redirect-refused"] as const) connect({ ...record, reason });
  expect(spentOf("run-1")?.get("a.example.org")?.missing).toEqual({ names: 2, characters: 54 });
});
