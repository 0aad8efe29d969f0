import type { Finding } from "../../app/doctor/machine.ts";
import type { SandboxReport } from "../../app/doctor/sandbox.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { Property } from "../../sandbox/runtime.ts";
import { WAYS } from "../../sandbox/workspace/ways.ts";
import { paint } from "./style.ts";

type Line = Pick<Finding, "state" | "what" | "detail">;

const MARK: Readonly<Record<Finding["state"], string>> = { ok: "✓", missing: "✗", note: "·" };
const STYLE = { ok: "green", missing: "red", note: "dim" } as const;

/** One screen: 24 lines of 80 columns. */
const MAX_COLUMNS = 80;
const MAX_LINES = 24;
/** How many lines one finding takes, tried in this order until the screen holds them: what is missing, everything else. */
const MOST_LINES = [
  { missing: 4, other: 3 },
  { missing: 4, other: 2 },
  { missing: 4, other: 1 },
  { missing: 3, other: 1 },
  { missing: 2, other: 1 },
  { missing: 1, other: 1 },
] as const;
const MAX_FAILED_PROPERTIES = 2;
const MAX_STEPS = 3;

/** What works, what does not, and what to type next; the properties of the sandbox are counted, and named where they are not met. */
export function doctorScreen(findings: readonly Finding[], sandbox: SandboxReport): string {
  const [leftovers, looked] = [findings.filter(isLeftover), findings.filter((finding) => !isLeftover(finding))];
  const removed: readonly Line[] = leftovers.length === 0 ? [] : [{ what: "what ended runs left", state: "note", detail: `removed: ${leftovers.length}` }];
  const lines = [
    ...looked,
    ...removed,
    ...sandboxLines(sandbox, (failure) => looked.some(({ state, detail }) => state === "missing" && failure.startsWith(detail))),
  ];
  const width = Math.max(...lines.map(({ what }) => what.length));
  const next = nextText(findings, sandbox);
  // All is told in full as far as the screen has lines for it, and what is wrong before the rest.
  const screens = MOST_LINES.map(
    ({ missing, other }) => `${lines.map((line) => screenLine(line, width, line.state === "missing" ? missing : other)).join("")}\n${next}`,
  );
  return screens.find((screen) => screen.split("\n").length <= MAX_LINES) ?? screens.at(-1) ?? next;
}

function screenLine({ state, what, detail }: Line, width: number, most: number): string {
  const indent = width + 3;
  const [first = "", ...rest] = wrapped(makeVisibleLine(detail), MAX_COLUMNS - indent);
  const shown = rest.slice(0, most - 1);
  const texts = [first, ...shown];
  if (shown.length < rest.length) texts.push(cutAt(`${texts.pop() ?? ""} ${rest[shown.length] ?? ""}`, MAX_COLUMNS - indent));
  return `${paint(STYLE[state], MARK[state])} ${what.padEnd(width)} ${texts.map((text) => cutAt(text, MAX_COLUMNS - indent)).join(`\n${" ".repeat(indent)}`)}\n`;
}

const isLeftover = ({ what }: Finding): boolean => what === "what ended runs left";

/** `isSaid`: whether why no sandbox opened stands in a line already. */
function sandboxLines({ policy, mount, properties, failure }: SandboxReport, isSaid: (failure: string) => boolean): readonly Line[] {
  const what = `sandbox of ${policy}`;
  if (failure !== null) return [{ what, state: "missing", detail: isSaid(failure) ? "not opened" : failure }];
  const failed = properties.filter(({ isMet }) => isMet === false);
  const judged = properties.filter(({ isMet }) => isMet !== null).length;
  const count: Line = {
    what,
    state: failed.length === 0 ? "ok" : "missing",
    detail: `opened; ${judged - failed.length} of ${judged} properties are as they should be`,
  };
  const way: readonly Line[] = mount === null ? [] : [{ what: "workspace", state: "ok", detail: WAYS[mount].why }];
  const named = failed.slice(0, MAX_FAILED_PROPERTIES).map((property): Line => ({ state: "missing", what: `  ${property.what}`, detail: detailOf(property) }));
  return [...way, count, ...named];
}

function nextText(findings: readonly Finding[], { failure, properties }: SandboxReport): string {
  const steps = findings.flatMap(({ state, remedy, isNeeded }) => (state === "missing" && remedy !== undefined ? [{ remedy, isNeeded }] : []));
  const needed = [...new Set(steps.filter(({ isNeeded }) => isNeeded).map(({ remedy }) => remedy))].slice(0, MAX_STEPS);
  const isSound = failure === null && properties.every(({ isMet }) => isMet !== false);
  if (needed.length === 0 && isSound) return "Everything that the shipped policies need works. Next: warder init\n";
  // Where nothing else is wrong, what kept the sandbox from opening says what to do.
  if (needed.length === 0 && failure !== null) needed.push(failure);
  if (needed.length === 0) needed.push("warder doctor --verbose, which shows what was expected and found");
  return `Next:\n${needed.flatMap((step) => wrapped(makeVisibleLine(step), MAX_COLUMNS - 2).map((line) => `  ${line}\n`)).join("")}`;
}

/** Everything that was looked at, each property of the sandbox with what was expected and found. */
export function doctorTable(findings: readonly Finding[], { policy, runtime, mount, properties, failure }: SandboxReport): string {
  const print = lineOf(findings);
  const head = `${findings.map(print).join("")}\nA sandbox of ${makeVisibleLine(policy)} (${runtime}), opened and looked at:\n`;
  if (failure !== null) return head + lineOf([])({ state: "missing", what: "sandbox", detail: failure });
  const printProperty = lineOf(properties);
  const way = mount === null ? "" : printProperty({ state: "note", what: "workspace", detail: `${WAYS[mount].name}: ${WAYS[mount].why}` });
  const rows = properties.map((property) => printProperty({ state: stateOf(property), what: property.what, detail: detailOf(property) }));
  const judged = properties.filter(({ isMet }) => isMet !== null);
  return `${head}${way}${rows.join("")}${judged.filter(({ isMet }) => isMet === true).length} of ${judged.length} properties are as they should be\n`;
}

const stateOf = ({ isMet }: Property): Finding["state"] => (isMet === null ? "note" : isMet ? "ok" : "missing");

function detailOf({ isMet, expected, found, seenFrom }: Property): string {
  const value = found === "" ? "nothing" : found;
  if (isMet === false) return `expected ${expected === "" ? "nothing" : expected}, found ${value} (${seenFrom})`;
  return isMet === null ? value : `${value} (${seenFrom})`;
}

/** Lines below each other, whose details begin in one column. */
function lineOf(all: readonly { readonly what: string }[]): (line: Line & { readonly remedy?: string }) => string {
  const width = Math.max(22, ...all.map(({ what }) => what.length));
  return ({ state, what, detail, remedy }) =>
    `${paint(STYLE[state], MARK[state])} ${what.padEnd(width)} ${makeVisibleLine(detail)}\n${remedy === undefined ? "" : `    ${makeVisibleLine(remedy)}\n`}`;
}

const cutAt = (text: string, columns: number): string => (text.length <= columns ? text : `${text.slice(0, columns - 1)}…`);

/** Whole words; a longer word keeps its line to itself, for it is to be copied. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
