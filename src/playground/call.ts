import { makeVisibleLine } from "../base/text.ts";
import type { Wanted } from "../policy/comparing/wanted.ts";
import type { Decision, Risk, Verdict } from "../policy/decision.ts";
import { inShort } from "./places.ts";

export type CallView = {
  readonly text: string;
  /** Why the line is no call. */
  readonly problem?: string;
  /** Null: that policy is not valid. */
  readonly before: RulingView | null;
  readonly after: RulingView | null;
};

export type RulingView = {
  readonly verdict: Verdict;
  readonly risk: Risk;
  readonly reason: string;
  readonly units: readonly UnitView[];
};

/** One effect: what it is, and the rule that decided it. `at`: `after.yaml:12`, or empty for what is built in. */
export type UnitView = { readonly subject: string; readonly verdict: Verdict; readonly rule: string; readonly at: string };

const MAX_COMMAND = 65_536;

/** `read: PATH`, `write: PATH`, `connect: HOST[:PORT]`, `tool: NAME`; anything else is a shell command. */
export function callOf(line: string): Wanted | { readonly problem: string } {
  const text = line.trim();
  const match = /^(?<kind>read|write|connect|tool):\s*(?<subject>.*)$/u.exec(text);
  const { kind, subject } = match?.groups ?? {};
  if (kind === undefined || subject === undefined) return text.length > MAX_COMMAND ? { problem: "It is too long." } : { kind: "command", text };
  if (subject === "") return { problem: `What \`${kind}:\` is about is missing.` };
  switch (kind) {
    case "read":
    case "write":
      return { kind, path: subject.replace(/^~(?=\/|$)/u, "/home/you") };
    case "connect":
      return hostOf(subject);
    default:
      return { kind: "invoke", tool: subject };
  }
}

const DEFAULT_PORT = 443;
const MAX_PORT = 65_535;

function hostOf(subject: string): Wanted | { readonly problem: string } {
  const match = /^(?<host>\[[^\]]+\]|[^:/\s]+)(?::(?<port>[0-9]{1,5}))?$/u.exec(subject);
  const port = Number(match?.groups?.["port"] ?? DEFAULT_PORT);
  const host = match?.groups?.["host"]?.replaceAll(/[[\]]/gu, "");
  if (host === undefined || port < 1 || port > MAX_PORT) return { problem: "It is no host, or HOST:PORT." };
  return { kind: "connect", host, port };
}

export function callView(text: string, before: Decision | null, after: Decision | null): CallView {
  return { text: makeVisibleLine(text), before: before === null ? null : rulingView(before), after: after === null ? null : rulingView(after) };
}

function rulingView({ verdict, risk, reason, units }: Decision): RulingView {
  return {
    verdict,
    risk,
    reason: inShort(reason),
    units: units.map(({ unit, verdict: decided, rule }) => ({
      subject: inShort(makeVisibleLine(unit.subject)),
      verdict: decided,
      rule: rule.id,
      at: rule.at === undefined ? "" : `${rule.at.file}:${String(rule.at.line)}`,
    })),
  };
}
