import type { Verdict } from "../../../policy/decision.ts";
import type { Backtest, ReplayedCall } from "./backtest.ts";

const DAY_MS = 86_400_000;

/** What a person reads of a change, the most dangerous first. */
export const CHANGES = ["newly allowed", "no longer asked", "asked instead of denied", "newly asked", "newly denied"] as const;
export type ChangeKind = (typeof CHANGES)[number];

/** Calls that are decided otherwise, in the same way and by the same rule. */
export type CallChange = Pick<ReplayedCall, "tool" | "input" | "verdict" | "now" | "rule" | "at" | "reason"> & {
  readonly kind: ChangeKind;
  readonly count: number;
  readonly runs: readonly string[];
};

export type BacktestReport = {
  readonly policy: string;
  readonly digest: string;
  /** Replayed calls and the runs that they are of; the days between the first and the last, one at least. */
  readonly calls: number;
  readonly runs: number;
  readonly days: number;
  readonly lost: readonly { readonly reason: string; readonly count: number }[];
  readonly before: Readonly<Record<Verdict, number>>;
  readonly after: Readonly<Record<Verdict, number>>;
  readonly changes: readonly CallChange[];
  /** Runs in which something would be asked or denied that was not. */
  readonly stopped: readonly { readonly run: string; readonly calls: number }[];
  readonly unconfirmed: readonly string[];
};

/** Sums up a backtest: how often a person would be asked, and each kind of call that would be decided otherwise, the commonest first. */
export function reportOf({ policy, digest, replayed, lost, unconfirmed }: Backtest): BacktestReport {
  const times = replayed.map(({ atMs }) => atMs);
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const stricter = replayed.filter(({ verdict, now }) => rank(now) > rank(verdict));
  return {
    policy,
    digest,
    calls: replayed.length,
    runs: new Set(replayed.map(({ run }) => run)).size,
    days: Math.max(1, Math.ceil(span / DAY_MS)),
    lost: [...lost].map(([reason, count]) => ({ reason, count })).toSorted((one, other) => other.count - one.count),
    before: countsOf(replayed.map(({ verdict }) => verdict)),
    after: countsOf(replayed.map(({ now }) => now)),
    changes: changesOf(replayed),
    stopped: [...Map.groupBy(stricter, ({ run }) => run)].map(([run, calls]) => ({ run, calls: calls.length })),
    unconfirmed,
  };
}

function rank(verdict: Verdict): number {
  return ["allow", "ask", "deny"].indexOf(verdict);
}

function countsOf(verdicts: readonly Verdict[]): Record<Verdict, number> {
  const counts = { allow: 0, ask: 0, deny: 0 };
  for (const verdict of verdicts) counts[verdict] += 1;
  return counts;
}

function kindOf({ verdict, now }: Pick<ReplayedCall, "verdict" | "now">): ChangeKind | null {
  if (verdict === now) return null;
  if (now === "allow") return verdict === "deny" ? "newly allowed" : "no longer asked";
  if (now === "ask") return verdict === "deny" ? "asked instead of denied" : "newly asked";
  return "newly denied";
}

function changesOf(replayed: readonly ReplayedCall[]): readonly CallChange[] {
  const changed = replayed.flatMap((call) => {
    const kind = kindOf(call);
    return kind === null ? [] : [{ kind, call }];
  });
  const alike = Map.groupBy(changed, ({ kind, call }) => JSON.stringify([kind, call.verdict, call.tool, call.input, call.rule]));
  return [...alike.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { tool, input, verdict, now, rule, at, reason } = first.call;
      return [{ kind: first.kind, tool, input, verdict, now, rule, at, reason, count: group.length, runs: [...new Set(group.map(({ call }) => call.run))] }];
    })
    .toSorted((one, other) => CHANGES.indexOf(one.kind) - CHANGES.indexOf(other.kind) || other.count - one.count);
}
