import { climbsFromLink } from "./path-traversal.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";
import type { Risk, UnitKind } from "../decision.ts";
import type { Facts } from "../facts.ts";
import { matchesGlob, parseGlob } from "../matching/glob.ts";
import { hasNetwork } from "../matching/network-entries.ts";
import { hostMatches } from "../matching/hosts.ts";
import type { NetworkSettings } from "../network.ts";
import { asksOwnLoopback } from "./own-loopback.ts";
import { isOwnToRun } from "./path-access.ts";
import type { PathCase } from "./unit-path.ts";
import type { UnitCase } from "./units.ts";

/** How bad a unit is, and why when that is not plain from its effect. */
export type Assessment = {
  readonly risk: Risk;
  /** False: what it would touch is not known, so no `effects: allow` speaks for it. */
  readonly isCertain: boolean;
  readonly note: string | null;
};

/** The level of each effect where nothing about its path, host or tool says otherwise (design: risk is explained by effects). */
const LEVELS: Readonly<Record<UnitKind, Risk>> = {
  command: "low",
  call: "low",
  reads: "low",
  messages: "low",
  writes: "medium",
  deletes: "medium",
  history: "medium",
  connects: "medium",
  remembers: "medium",
  schedules: "high",
  invokes: "high",
  sends: "high",
  "runs-code": "high",
  publishes: "high",
  remote: "high",
  processes: "high",
  persists: "high",
  privilege: "high",
  system: "high",
  secrets: "high",
  unknown: "high",
  undecidable: "high",
};

const WITHOUT_SIDE_EFFECT: ReadonlySet<UnitKind> = new Set(["command", "call", "reads", "messages", "connects", "secrets", "unknown", "undecidable"]);
const NO_ACTION: ReadonlySet<UnitKind> = new Set(["command", "call", "reads", "messages"]);
const REVIEWED_LATER: ReadonlySet<UnitKind> = new Set(["writes", "deletes", "history"]);

/** Whether the effect changes something. What is unknown or undecidable is none of these for certain; its risk is high instead. */
export function hasSideEffect(kind: UnitKind): boolean {
  return !WITHOUT_SIDE_EFFECT.has(kind);
}

/** Whether a unit counts against `limits.actions`: more than a read or a message; changes to a transactional workspace count when they are applied. */
export function isAction(kind: UnitKind, workspace: "transactional" | "bind" | "none"): boolean {
  return !NO_ACTION.has(kind) && !(workspace === "transactional" && REVIEWED_LATER.has(kind));
}

export function assess(policy: CompiledPolicy, unit: UnitCase, path: PathCase | null, facts: Facts): Assessment {
  const { kind } = unit.unit;
  if (path !== null && (path.fault !== null || path.isOwn || path.forbidden !== null || path.protected !== null)) return certain("high");
  if (unit.command !== null && unit.path?.kind === "literal" && climbsFromLink(unit.command, unit.path.path, facts)) return assessClimb(policy, kind, facts);
  if (path !== null && (kind === "reads" || (kind === "secrets" && isKnownName(policy, unit, facts)))) return assessRead(policy, unit, path, facts);
  if (path !== null && (kind === "writes" || kind === "deletes")) return assessWrite(policy, unit, path, facts);
  if (kind === "connects") return assessConnection(policy, unit, facts);
  // Where there is a network, an option such as a proxy's may send it elsewhere.
  if (kind === "sends" && !hasNetwork(policy.policy.sandbox.network) && asksOwnLoopback({ policy, unit, facts })) return certain("low");
  if (kind === "runs-code" && facts.containment === "profile" && policy.isCodeContained) return certain("medium");
  if (kind === "invokes" && isNamed(policy, unit.unit.subject)) return certain("medium");
  return certain(unit.level ?? LEVELS[kind]);
}

/** As of a path that is known only when the command runs: inside the profile what is forbidden is masked, and links lead nowhere else. */
function assessClimb({ isSealed }: CompiledPolicy, kind: UnitKind, facts: Facts): Assessment {
  const note = "`..` after a link leads elsewhere than it says";
  const isHarmless = facts.containment === "profile" && (kind === "reads" || (isSealed && (kind === "writes" || kind === "deletes")));
  return isHarmless ? { risk: "medium", isCertain: true, note } : uncertain(note);
}

/** A name such as a key's, whose file holds nothing but public parts, or is the run's own. */
function isKnownName({ policy, forbidden }: CompiledPolicy, { path }: UnitCase, facts: Facts): boolean {
  if (path?.kind !== "literal") return false;
  return facts.publicOnly?.has(path.path) === true || (forbidden.find(path.path)?.isOfKeys === true && isOwnToRun(policy, path.path, facts));
}

function assessRead(policy: CompiledPolicy, { isWide }: UnitCase, path: PathCase, facts: Facts): Assessment {
  const isContained = facts.containment === "profile";
  if (path.operand === "dynamic") {
    if (isContained) return { risk: "medium", isCertain: true, note: "which file is read is known only when it runs" };
    return uncertain("which file is read is known only when it runs");
  }
  if (path.judgement?.isMeasured === false) return uncertain("the path was not measured");
  // The host's own files, however public: a look round the machine is no work in a root.
  // Above the roots a pattern finds what lies in none of them, too.
  if (path.judgement?.place === "system" || (path.judgement?.place === "ancestor" && (isWide || path.operand === "pattern")))
    return isContained ? certain("medium") : uncertain("it is the host's own");
  // Inside the profile what is forbidden is masked, and links lead nowhere else.
  if (!isContained && path.operand === "pattern") return uncertain("what the pattern matches was not measured");
  if (!isContained && isWide && !policy.forbidden.isEmpty) return uncertain("forbidden files may lie below it, and nothing masks them here");
  return certain("low");
}

function assessWrite(policy: CompiledPolicy, unitCase: UnitCase, path: PathCase, facts: Facts): Assessment {
  const { unit, isWide } = unitCase;
  const isContained = facts.containment === "profile";
  // What it changes waits for a review, and code that nobody read may do the same there.
  const isReviewed = isContained && policy.isSealed;
  if (path.operand === "dynamic") {
    if (isReviewed) return { risk: "medium", isCertain: true, note: "which file is written is known only when it runs" };
    return uncertain("which file is written is known only when it runs");
  }
  const { judgement } = path;
  if (judgement?.isMeasured !== true && judgement?.place !== "device") return uncertain("the path was not measured");
  // A redirection into `/dev/null` is no write; a program that is given the name may replace the file.
  if (judgement.place === "device") return certain(isContained || isRedirected(unitCase) ? "low" : "medium");
  if (path.operand === "pattern") {
    if (!isContained) return uncertain("what the pattern matches was not measured");
    return unit.kind === "deletes" || isWide ? manyFiles(isReviewed, "it may match any number of files") : certain("medium");
  }
  if (isWide) return manyFiles(isReviewed, "everything below it is meant");
  if (judgement.hasOtherNames && policy.policy.sandbox.workspace !== "transactional") return uncertain("the file has other names, perhaps outside the roots");
  return certain("medium");
}

function manyFiles(isReviewed: boolean, note: string): Assessment {
  return { risk: isReviewed ? "medium" : "high", isCertain: true, note };
}

function isRedirected({ unit, command }: UnitCase): boolean {
  const { span } = unit;
  return (
    span !== undefined &&
    command !== null &&
    command.redirections.some((redirection) => redirection.span.start <= span.start && span.end <= redirection.span.end)
  );
}

/** Outside the profile nothing holds a command to the host that it names: no proxy sees where a name or a redirect leads. */
function assessConnection(compiled: CompiledPolicy, unit: UnitCase, facts: Facts): Assessment {
  const { policy } = compiled;
  const { host } = unit;
  if (host?.kind === "configured") return assessConfigured(policy.sandbox.network, facts);
  if (host?.kind !== "literal") return uncertain("which host is known only when it runs");
  if (facts.containment !== "profile") return certain("medium");
  if (asksOwnLoopback({ policy: compiled, unit, facts })) return certain("low");
  return certain(policy.sandbox.network.allow.some((pattern) => hostMatches(pattern, host.host, host.port)) ? "low" : "medium");
}

/**
 * No word of the command decides the host, so none carries anything to it; which one it is nobody knows here. The proxy holds it to the
 * list all the same, so where the list is every public name it makes no difference which one the configuration holds.
 */
function assessConfigured({ allow, registries = [] }: NetworkSettings, facts: Facts): Assessment {
  if (facts.containment !== "profile") return uncertain("the program's configuration chooses the host, and no proxy holds it");
  // Where no host is open it is a registry, or nothing.
  return allow.includes("*") || (allow.length === 0 && registries.length > 0)
    ? certain("low")
    : uncertain("the program's configuration chooses the host, and the policy allows only some");
}

/** Named by itself, not by a pattern that names everything. */
function isNamed({ policy }: CompiledPolicy, subject: string): boolean {
  const tool = subject.slice("invokes ".length);
  return policy.tools.allow.some((pattern) => !/^\*+$/u.test(pattern) && matchesGlob(parseGlob(pattern), tool));
}

function certain(risk: Risk): Assessment {
  return { risk, isCertain: true, note: null };
}

function uncertain(note: string): Assessment {
  return { risk: "high", isCertain: false, note };
}
