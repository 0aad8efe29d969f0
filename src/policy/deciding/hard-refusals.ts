import type { PathOperand, SimpleCommand, Word } from "../../shell/model/model.ts";
import type { Facts } from "../facts.ts";
import type { RuleVoice, SourcePosition, UnitKind } from "../decision.ts";
import type { PathCase } from "./unit-path.ts";
import type { PathJudgement, PathUse } from "./path-access.ts";
import { hasSideEffect, isAction } from "./risk.ts";
import type { PathPattern } from "../policy.ts";
import type { UnitSetting } from "./step-input.ts";

/**
 * Step 1: what no rule, approval, grant or mode lifts. The ids stand in audit logs and tests: a pinned
 * list in the tests holds them.
 */
export function hardRefusals(setting: UnitSetting): readonly RuleVoice[] {
  const { policy, facts, unit } = setting;
  const { kind } = unit.unit;
  const voices: RuleVoice[] = [];
  if (facts.isStopped) voices.push(refusal("stop-switch", "The stop switch is engaged for this: it does not run until a person has released it."));
  else if (facts.isNetworkStopped === true && (unit.host !== null || REACHES_OUT.has(kind)))
    voices.push(refusal("stop-switch", "The stop switch is engaged for the network: nothing reaches out until a person has released it."));
  if (!facts.isSandboxReady && facts.containment === "profile")
    voices.push(refusal("sandbox-missing", "The sandbox that the policy names is not there, and nothing runs without it."));
  if (unit.hasHiddenText)
    voices.push(refusal("hidden-character", "The command holds control or invisible characters, so what a person sees is not what would run."));
  if (unit.command !== null && isOwnCommand(unit.command, setting.isOpaque))
    voices.push(refusal("own-command", "Approvals, policies, schedules, images and the stop switch belong to a person, never to a run."));
  if (setting.path !== null) refusePath(setting.path, isShown(unit.path, setting.path.use, facts), voices);
  if (policy.policy.autonomy === "read-only" && hasSideEffect(kind) && setting.path?.judgement?.place !== "device")
    voices.push(refusal("read-only-autonomy", "The policy's autonomy is read-only, and this changes something.", policy.policy.positions?.get("autonomy")));
  if (facts.actionsLeft !== null && facts.actionsLeft <= 0 && isAction(kind, policy.policy.sandbox.workspace))
    voices.push(refusal("budget-actions", "The policy's limit of actions in its time window is used up.", policy.policy.positions?.get("limits.actions")));
  return voices;
}

/** Effects that reach out, also where no word says where to. */
const REACHES_OUT: ReadonlySet<UnitKind> = new Set(["connects", "sends", "publishes", "remote"]);

function refusal(id: string, reason: string, at?: SourcePosition): RuleVoice {
  return { id, step: "hard-refusal", verdict: "deny", reason, ...(at === undefined ? {} : { at }) };
}

/** Whether what may not be written may be read: only public parts were in it. */
function isShown(path: PathOperand | null, use: PathUse, { publicOnly }: Facts): boolean {
  return use !== "read" && path?.kind === "literal" && publicOnly?.has(path.path) === true;
}

function refusePath(path: PathCase, isPublic: boolean, voices: RuleVoice[]): void {
  if (path.fault !== null) voices.push(refusal("undecodable", `What it names is no path that can be judged: ${path.fault}.`));
  if (path.isOwn) voices.push(refusal("own-state", "This belongs to Warder itself: its state, its keys or the policy of the run."));
  if (path.forbidden !== null) voices.push(refusal("forbidden-path", forbiddenReason(path.forbidden, isPublic), path.forbidden.at));
  if (path.protected !== null) voices.push(refusal("protected-path", "The policy protects this path: it may be read and is never written.", path.protected.at));
  const { judgement } = path;
  if (judgement !== null && !isReachable(path.use, judgement))
    voices.push(
      refusal("outside-roots", path.use === "read" ? "The path is in no root of the policy." : "The path is in no root that the policy opens for writing."),
    );
}

function forbiddenReason({ isOfKeys }: PathPattern, isPublic: boolean): string {
  if (isOfKeys === true && isPublic)
    return "Only public parts are in this file. It may be read as it was measured, and is never written: only the layer of a transactional workspace lets a run replace it.";
  return isOfKeys === true
    ? "The policy forbids private keys, and this holds one, or may: it is never read and never written."
    : "The policy forbids this path: it is never read and never written.";
}

function isReachable(use: PathUse, { place, access }: PathJudgement): boolean {
  if (use === "read") return place !== "outside";
  return access === "read-write" || place === "scratch" || place === "home" || place === "device";
}

const OWN_VERBS = new Set(["approvals", "start", "policy", "schedule", "hook", "image", "setup", "init"]);

/** From so many words on, the result is cached for the command's other effects. For fewer words a WeakMap costs more than looking again. */
const MANY_WORDS = 64;

type Found = WeakMap<SimpleCommand, boolean>;
const FOUND: Found = new WeakMap();
const FOUND_OPAQUE: Found = new WeakMap();

/**
 * Whether a command runs one of the parts of Warder that answer to a person. Behind a program that may run
 * another (`isOpaque`: npx, node, an unknown one) any word may be the program.
 */
function isOwnCommand(command: SimpleCommand, isOpaque: boolean): boolean {
  if (command.argv.length + command.via.length < MANY_WORDS) return namesOwn(command, isOpaque);
  const known = isOpaque ? FOUND_OPAQUE : FOUND;
  let isOwn = known.get(command);
  if (isOwn === undefined) known.set(command, (isOwn = namesOwn(command, isOpaque)));
  return isOwn;
}

function namesOwn({ argv, via }: SimpleCommand, isOpaque: boolean): boolean {
  const at = isOwnName(argv[0]) ? 0 : isOpaque ? argv.findIndex(isOwnName) : -1;
  if (at < 0 && !via.some((name) => /(?:^|\/)warder$/u.test(name))) return false;
  return argv.slice(at + 1).some((word) => word.kind !== "literal" || OWN_VERBS.has(word.value));
}

function isOwnName(word: Word | undefined): boolean {
  return word?.kind === "literal" && word.value.includes("warder") && /(?:^|\/)warder(?:\.[cm]?js)?(?:@[^/]*)?$/u.test(word.value);
}
