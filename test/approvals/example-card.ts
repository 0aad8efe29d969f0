import type { ApprovalCard } from "../../src/approvals/card.ts";

/** A card of medium risk. */
export function exampleCard(change: Partial<ApprovalCard> = {}): ApprovalCard {
  return {
    approvalId: "approval-000000000001",
    runId: "run-000000000001",
    workspace: "/w",
    tool: "shell",
    input: '{"command":"touch a"}',
    commands: ["touch a"],
    cwd: "/w",
    env: {},
    reads: [],
    writes: ["/w/a"],
    hosts: [],
    inputs: [],
    imageDigest: "sha256:1",
    policyDigest: "p".repeat(64),
    rulingDigest: "r".repeat(64),
    risk: "medium",
    asked: [{ id: "baseline-supervised-medium", reason: "A person decides what changes.", at: "/p.yaml:4" }],
    effects: ["ask: writes: writes /w/a"],
    change: null,
    sort: "touch",
    containment: ["no network", "no variables are passed", "changes land in the workspace at once"],
    pointless: null,
    wantsWord: change.risk === "high",
    expiresAtMs: Date.UTC(2026, 0, 2, 4, 0, 0),
    differs: null,
    together: [],
    needed: 1,
    needsCode: false,
    grant: null,
    grantExamples: null,
    grantKey: "key",
    ...change,
  };
}
