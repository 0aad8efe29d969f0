import { describe, expect, test } from "vitest";
import { backtest } from "../../../../src/app/policy/backtest/backtest.ts";
import { reportOf, type BacktestReport } from "../../../../src/app/policy/backtest/report.ts";
import type { Label } from "../../../../src/policy/label.ts";
import { callLog, type LoggedInput } from "../../../support/call-log.ts";
import { writePolicy } from "../../../support/warder-cli.ts";

/** Holds a policy against a log of calls. */
function logOf(calls: readonly LoggedInput[]) {
  const { here, audit } = callLog(calls);
  return async (policy: string, span = {}, parent = "extends: unattended"): Promise<BacktestReport> =>
    reportOf(await backtest(audit, writePolicy(here, "mine", `version: 1\nname: mine\n${parent}\n${policy}\n`), span, here.workspace));
}

const ls = { command: "ls -l" };
const tag = { command: "git tag v1" };
/** Each change of the workspace is an action. */
const BOUND = "autonomy: full\nworkspace: { roots: [{ path: '.', access: read-write }] }\nsandbox: { workspace: bind }";
const denies = "commands: { rules: [{ id: no-list, deny: 'ls **', because: Why. }] }";

describe("a backtest", () => {
  test("says what the policy would have decided otherwise, by which rule, and in which runs", async () => {
    const report = await logOf([
      [ls],
      [ls, { run: "run-2" }],
      [{ command: "pwd" }, { verdict: "ask", answer: "granted" }],
      [{ path: "a.txt" }, { tool: "read_file" }],
    ])(denies);
    expect(report).toMatchObject({
      policy: "mine",
      calls: 4,
      runs: 2,
      days: 1,
      lost: [],
      before: { allow: 3, ask: 1, deny: 0 },
      after: { allow: 2, ask: 0, deny: 2 },
      stopped: [
        { run: "run-1", calls: 1 },
        { run: "run-2", calls: 1 },
      ],
    });
    expect(report.changes.map(({ kind, input, rule, count, runs }) => [kind, input, rule, count, runs])).toEqual([
      ["no longer asked", { command: "pwd" }, expect.any(String), 1, ["run-1"]],
      ["newly denied", ls, "no-list", 2, ["run-1", "run-2"]],
    ]);
    expect(report.changes[1]?.at).toMatch(/mine\.yaml:4$/u);
  });

  test("counts limits in the order of the log, and gives back what the window leaves behind", async () => {
    const write = (name: string) => [{ path: name, content: "x" }, { tool: "write_file" }] as const;
    const report = await logOf([write("a"), write("b"), write("c"), write("d")])("limits: { actions: { max: 1, per: 90s } }", {}, BOUND);
    expect(report.after).toEqual({ allow: 2, ask: 0, deny: 2 });
    expect(report.changes.map(({ input, rule }) => [(input as { path: string }).path, rule])).toEqual([
      ["b", "budget-actions"],
      ["d", "budget-actions"],
    ]);
  });

  test("lets a call that a person refused take no action", async () => {
    const asks = "commands: { effects: { writes: ask } }\nlimits: { actions: { max: 1, per: 1h } }";
    const write = (name: string, answer: "granted" | "refused") =>
      [{ path: name, content: "x" }, { tool: "write_file", verdict: "ask", answer } as const] as const;
    const report = await logOf([write("a", "refused"), write("b", "granted"), write("c", "granted")])(asks, {}, BOUND);
    expect(report.after).toEqual({ allow: 0, ask: 2, deny: 1 });
  });

  test("ends at a limit on calls and on questions", async () => {
    expect((await logOf([[ls], [ls]])("limits: { calls: { max: 1, per: 1h } }")).changes.map(({ rule }) => rule)).toEqual(["budget-calls"]);
    const asks = await logOf([[tag], [tag]])("limits: { asks: { max: 1, per: 1h } }\ncommands: { rules: [{ id: asks, ask: 'git tag **', because: Why. }] }");
    expect(asks.changes.map(({ now, rule }) => [now, rule])).toEqual([
      ["ask", "asks"],
      ["deny", "budget-asks"],
    ]);
  });

  test("counts the uses of a rule in the order of the log, each run by itself", async () => {
    const limited = "commands: { rules: [{ id: tags, allow: 'git tag **', max: 1 per run, because: Few. }] }";
    const report = await logOf([[tag], [tag]])(limited, {}, "extends: supervised");
    expect(report.after).toEqual({ allow: 1, ask: 1, deny: 0 });
  });

  test("knows what the model had seen by then", async () => {
    const page: Label = { trust: "untrusted", isSensitive: false, source: "host example.org", call: "call-0", run: "run-1" };
    const report = await logOf([[ls], [ls, { seen: [page] }]])("commands: { rules: [{ id: tainted, deny: 'ls **', when: tainted, because: Why. }] }");
    expect(report.after).toEqual({ allow: 1, ask: 0, deny: 1 });
  });

  test("judges at the time of the call", async () => {
    const until = (day: string) => `commands: { rules: [{ id: soon, allow: 'git tag **', expires: ${day}, because: Why. }] }`;
    const log = logOf([[tag]]);
    expect((await log(until("2026-01-02"), {}, "extends: supervised")).after.allow).toBe(1);
    expect((await log(until("2026-01-01"), {}, "extends: supervised")).after.ask).toBe(1);
  });

  test("judges nothing whose text the log does not have whole, and what does not depend on it", async () => {
    const long = "x".repeat(5_000);
    const report = await logOf([
      [{ command: `echo ${long}` }],
      [{ command: "curl -u me:hunter2 https://example.org" }],
      [{ path: "a", content: long }, { tool: "write_file" }],
      [{ path: "a", content: "hunter2" }, { tool: "write_file" }],
      [{}, { tool: "server__tool" }],
      [{ nonsense: 1 }],
    ])(denies);
    expect(report.calls).toBe(2);
    expect(report.lost).toEqual([
      { reason: "a text of it was cut or redacted in the log", count: 2 },
      { reason: "its tool is none of this version's own", count: 1 },
      { reason: "its arguments are none that this version takes", count: 1 },
    ]);
  });

  test("takes the calls of a span, also of a run that began before", async () => {
    const since = new Date(Date.UTC(2026, 0, 2, 3, 5, 30)).toISOString();
    expect(await logOf([[ls], [ls]])(denies, { since })).toMatchObject({ calls: 1, after: { deny: 1 } });
  });
});
