import { storedBeginning, storedValue } from "../../audit/entries/stored-value.ts";
import type { Redact } from "../../audit/entries/redact.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { firstSeen, type Label, SIGHTS } from "../../policy/label.ts";
import { digestOf } from "../../base/digest.ts";
import type { Decision } from "../../policy/decision.ts";
import type { Session } from "../../sandbox/runtime.ts";
import type { ToolCall } from "../../tools/contract/tool.ts";
import type { Ruling } from "../gate.ts";
import type { Measured } from "../facts/measure.ts";

/** More than a person reads; the decision is over all of them. */
const MAX_UNITS = 200;

/** What a ruling is bound to, besides the decision. */
export type Binding = {
  readonly tool: string;
  /** Final arguments: after preparation and validation. */
  readonly input: unknown;
  readonly cwd: string;
  /** What the call adds to the profile's environment. No tool adds anything. */
  readonly env: Readonly<Record<string, string>>;
  /** {@link variableMarks}: of the profile's own environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly profile: string | null;
  readonly image: string | null;
  readonly policy: string;
  readonly run: string;
};

/** The digest of a session's profile: everything that decides what the sandbox is, and no value of a variable. */
export function profileDigest(session: Session): string {
  const { env, ...rest } = session.profile;
  return digestOf({ ...rest, env: Object.keys(env).toSorted() });
}

/** The same call, whatever its inputs have become: what a refusal for the run holds for. */
export function callDigest(binding: Binding): string {
  return digestOf({ tool: binding.tool, input: binding.input, cwd: binding.cwd, run: binding.run });
}

/** Binds a decision to exactly this call. `bound`: the digest of what code could load, where the call runs any. */
export function rulingOf(call: ToolCall, decision: Decision, binding: Binding, inputs: { readonly measured: Measured; readonly bound: string | null }): Ruling {
  const digest = digestOf({ ...binding, inputs: inputsOf(decision, inputs) });
  return { digest, callId: call.id, tool: binding.tool, decision, policy: binding.policy };
}

/** The same call in whichever run of a job it is made: all that a ruling is bound to, with the job as it is in the place of the run. */
export function jobCallDigest(
  { run: _run, ...binding }: Binding,
  job: { readonly name: string; readonly revision: string },
  about: { readonly decision: Decision; readonly measured: Measured; readonly bound: string | null },
): string {
  return digestOf({ ...binding, job, inputs: inputsOf(about.decision, about) });
}

function inputsOf(decision: Decision, { measured, bound }: { readonly measured: Measured; readonly bound: string | null }): unknown {
  const paths = [...measured.paths.values()].map((fact) => [fact.path, fact.real, fact.type]);
  const [files, tables, names] = [[...measured.files], [...measured.tables], [...measured.plain, ...measured.ordinary, ...measured.unmatched]];
  const served = [...measured.served].map(([server, facts]) => [
    server,
    [...facts.paths.values()].map((fact) => [fact.path, fact.real, fact.type]),
    [...facts.files],
  ]);
  // What a person says yes to is the call as it was asked about: where a label made a rule speak meanwhile, they are asked again.
  const held = decision.rules.flatMap(({ id, when }) => (when === undefined ? [] : [id])).toSorted();
  return { paths, files, tables, names, bound, ...(served.length === 0 ? {} : { served }), ...(held.length === 0 ? {} : { held }) };
}

type RecordSetting = { readonly measured: "session" | "host"; readonly redact: Redact; readonly labels: readonly Label[] };

/** A ruling as it is recorded. */
export function rulingRecord(ruling: Ruling, binding: Binding, { measured, redact, labels }: RecordSetting): AuditPayload {
  const stored = (text: string): string => storedBeginning(text, redact);
  const { decision } = ruling;
  const seen = [...new Set(SIGHTS.flatMap((sight) => firstSeen(sight, labels) ?? []))];
  return {
    kind: "ruling",
    call: ruling.callId,
    tool: ruling.tool,
    input: storedValue(binding.input, redact),
    ruling: ruling.digest,
    policy: ruling.policy,
    verdict: decision.verdict,
    risk: decision.risk,
    reason: stored(decision.reason),
    rules: decision.rules.map((rule) => ({
      id: rule.id,
      verdict: rule.verdict,
      reason: stored(rule.reason),
      ...(rule.at === undefined ? {} : { at: `${rule.at.file}:${rule.at.line}` }),
    })),
    units: decision.units
      .slice(0, MAX_UNITS)
      .map((unit) => ({ kind: unit.unit.kind, subject: stored(unit.unit.subject), risk: unit.risk, verdict: unit.verdict, rule: unit.rule.id })),
    ...(decision.units.length > MAX_UNITS ? { moreUnits: decision.units.length - MAX_UNITS } : {}),
    ...(seen.length === 0 ? {} : { seen: seen.map((label) => ({ ...label, source: stored(label.source) })) }),
    measured,
    image: binding.image,
    profile: binding.profile,
  };
}
