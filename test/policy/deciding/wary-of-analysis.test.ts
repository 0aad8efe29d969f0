import { expect, test } from "vitest";
import type { Request } from "../../../src/policy/request.ts";
import { commandRequest, deciding, decideRequest, policyOf, policyText, simpleCommand } from "../bench.ts";

// Analyses built by hand, as a table with a gap might yield them: the policy layer holds by itself.

const WRAPPED = simpleCommand("ls -la", { via: ["timeout"] });

function verdictOf(policy: string, request: Request): readonly [string, string] {
  const decision = decideRequest(policyOf(policy), request);
  return [decision.verdict, deciding(decision)];
}

test("a wrapper that is no command of its own is denied by rule", () => {
  const policy = policyText("autonomy: full", "commands: { rules: [{ id: no-timeout, deny: 'timeout **', because: no }] }");
  expect(verdictOf(policy, commandRequest(WRAPPED))).toEqual(["deny", "no-timeout"]);
});

test("and by a list of programs", () => {
  expect(verdictOf(policyText("autonomy: full", "commands: { only: [ls] }"), commandRequest(WRAPPED))).toEqual(["deny", "only"]);
});

test("an undecidable text is denied by a list of programs, whatever commands were found in it", () => {
  const policy = policyText("autonomy: full", "commands: { only: [ls], effects: { undecidable: allow } }");
  expect(verdictOf(policy, commandRequest(simpleCommand("ls"), [{ kind: "undecidable", simple: -1 }]))).toEqual(["deny", "only"]);
});

test.each(["failed", "undecidable"] as const)("an analysis that is %s and names no effect is high risk", (how) => {
  const request = commandRequest(simpleCommand("ls")) as Extract<Request, { kind: "command" }>;
  const undecidable = how === "undecidable" ? [{ code: "evaluated-text", span: { start: 0, end: 2 }, text: "ls" } as const] : [];
  const analysis = { ...request.analysis, undecidable, parse: how === "failed" ? ("failed" as const) : ("ok" as const) };
  expect(verdictOf(policyText("autonomy: full"), { ...request, analysis })).toEqual(["ask", "baseline-full-high"]);
});

test("a text without commands does nothing, and a failed one is not such a text", () => {
  const empty: Request = {
    kind: "command",
    text: "",
    cwd: "/home/dev/project",
    analysis: { text: "", simples: [], effects: [], undecidable: [], needs: [], parse: "ok" },
  };
  expect(verdictOf(policyText("autonomy: full"), empty)).toEqual(["allow", "baseline-full-low"]);
  expect(verdictOf(policyText("autonomy: full"), { ...empty, analysis: { ...empty.analysis, parse: "failed" } })).toEqual(["ask", "baseline-full-high"]);
});

test("an allow rule settles no undecidable effect of its command", () => {
  const policy = policyText(
    "autonomy: supervised",
    "workspace: { roots: [{ path: '.', access: read-write }] }",
    "commands: { rules: [{ id: mine, allow: 'tool build', because: fine }] }",
  );
  expect(verdictOf(policy, commandRequest(simpleCommand("tool build"), [{ kind: "undecidable" }]))).toEqual(["ask", "baseline-supervised-high"]);
});
