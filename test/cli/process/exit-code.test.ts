import { describe, expect, test } from "vitest";
import type { RunEnding } from "../../../src/agent/run-end.ts";
import { exitCodeOfEnding } from "../../../src/cli/process/exit-code.ts";

// A pin: scripts rely on these, and docs/decisions/0021 says why a refused run is 3.
describe("the exit code of an ending", () => {
  test.each<[RunEnding, number]>([
    [{ kind: "done" }, 0],
    [{ kind: "failed", code: "provider-failed" }, 1],
    [{ kind: "failed", code: "script-mismatch" }, 1],
    [{ kind: "failed", code: "store-unavailable" }, 1],
    [{ kind: "failed", code: "sandbox-unavailable" }, 6],
    [{ kind: "failed", code: "bad-policy" }, 78],
    [{ kind: "denied", rule: "no-network" }, 3],
    [{ kind: "parked", approvalId: "approval-a" }, 4],
    [{ kind: "budget" }, 5],
    [{ kind: "limit", limit: "turns" }, 5],
    [{ kind: "limit", limit: "minutes" }, 5],
    [{ kind: "limit", limit: "repetition" }, 1],
    [{ kind: "cancelled" }, 130],
  ])("%j is %i", (ending, code) => {
    expect(exitCodeOfEnding(ending)).toBe(code);
  });
});
