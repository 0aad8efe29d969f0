import { budgetReport, type BudgetSection } from "../../app/records/budget-report.ts";
import { withRecords } from "../../app/records/records.ts";
import { readContext } from "../../app/setup/context.ts";
import { makeVisibleLine, visibleJson } from "../../base/text.ts";
import type { WindowState } from "../../budgets/window-state.ts";
import type { Counted } from "../../budgets/budget.ts";
import type { Meter } from "../../policy/policy.ts";
import { durationText } from "../../policy/text/quantity.ts";
import { EXIT } from "../process/exit-code.ts";
import { paint, usdText } from "../view/style.ts";

export type BudgetOptions = { readonly policy: string; readonly workspace: string; readonly json?: boolean };

const BAR_CELLS = 24;

/** `warder budgets`: what is left of every limit, and when it is free again. */
export function budgets(options: BudgetOptions): number {
  const context = readContext(options.policy, options.workspace);
  return withRecords((records) => {
    const sections = budgetReport(records, context);
    if (options.json === true) process.stdout.write(`${visibleJson({ budgets: sections.flatMap(flat) })}\n`);
    else process.stdout.write(sections.map(sectionText).join("\n"));
    return EXIT.done;
  });
}

/** One object for each limit. `used`, `left` and `max` are counts, tokens, US dollars or minutes. */
function flat({ of, windows }: BudgetSection): readonly Record<string, unknown>[] {
  return windows.map(({ window, used, left, freesAtMs, allFreeAtMs }) => ({
    of,
    limit: window.name,
    meter: window.meter,
    max: inUnits(window.meter, window.max),
    perMs: window.perMs,
    used: inUnits(window.meter, used),
    left: inUnits(window.meter, left),
    freesAt: isoOf(freesAtMs),
    allFreeAt: isoOf(allFreeAtMs),
  }));
}

function sectionText({ of, windows }: BudgetSection): string {
  const lines = windows.map((state) => `  ${bar(state)}  ${makeVisibleLine(lineOf(state))}\n`);
  return `${paint("bold", makeVisibleLine(of))}\n${lines.length === 0 ? "  no limit\n" : lines.join("")}`;
}

function lineOf(state: WindowState): string {
  const { window, used, left, freesAtMs, allFreeAtMs } = state;
  const { meter, max, perMs, name } = window;
  const within = perMs === null ? "in the run's whole life" : `in ${durationText(perMs)}`;
  const frees =
    freesAtMs === null ? "" : `; more at ${timeText(freesAtMs)}${allFreeAtMs === null || allFreeAtMs === freesAtMs ? "" : `, all by ${timeText(allFreeAtMs)}`}`;
  return `${name}: ${numberText(meter, used)} of ${numberText(meter, max)} ${unitOf(meter)} ${within}, ${numberText(meter, left)} left${frees}`;
}

/** Full from the first use on: an empty bar means that nothing was used. */
function bar({ used, window: { max } }: WindowState): string {
  const share = max === 0 ? 1 : Math.min(1, used / max);
  const cells = share === 0 ? 0 : Math.max(1, Math.floor(share * BAR_CELLS));
  const text = `${"█".repeat(cells)}${"░".repeat(BAR_CELLS - cells)}`;
  return `${paint(share >= 1 ? "red" : share >= 0.75 ? "yellow" : "green", text)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}

function inUnits(meter: Counted, amount: number): number {
  return meter === "cost" ? amount / 1_000_000 : meter === "minutes" ? amount / 60_000 : amount;
}

const UNITS: Readonly<Record<Meter, string>> = {
  actions: "actions",
  calls: "calls",
  asks: "questions",
  tokens: "tokens",
  cost: "US dollars",
  minutes: "minutes",
};

function unitOf(meter: Counted): string {
  return meter.startsWith("rule:") ? "uses" : UNITS[meter as Meter];
}

function numberText(meter: Counted, amount: number): string {
  const value = inUnits(meter, amount);
  if (meter === "cost") return usdText(value);
  return value.toLocaleString("en", { maximumFractionDigits: 1 });
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/u, "Z");
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
