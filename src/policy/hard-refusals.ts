import type { SimpleCommand, Word } from "../shell/model.ts";
import type { RuleVoice, SourcePosition } from "./decision.ts";
import { hasSideEffect, isAction } from "./risk.ts";
import type { UnitSetting } from "./setting.ts";

/**
 * Step 1: what no rule, approval, grant or mode lifts. The ids stand in audit logs and tests: a pinned
 * list in the tests holds them.
 */
export function hardRefusals(setting: UnitSetting): readonly RuleVoice[] {
  const { policy, facts, unit } = setting;
  const { kind } = unit.unit;
  const voices: RuleVoice[] = [];
  const refuse = (id: string, reason: string, at?: SourcePosition): void => {
    voices.push({ id, step: "hard-refusal", verdict: "deny", reason, ...(at === undefined ? {} : { at }) });
  };
  if (facts.isStopped) refuse("stop-switch", "The stop switch is engaged: nothing runs until a person starts Warder again.");
  if (!facts.isSandboxReady && facts.containment === "profile")
    refuse("sandbox-missing", "The sandbox that the policy names is not there, and nothing runs without it.");
  if (unit.hasHiddenText) refuse("hidden-character", "The command holds control or invisible characters, so what a person sees is not what would run.");
  if (unit.command !== null && isOwnCommand(unit.command, setting.isOpaque))
    refuse("own-command", "Approvals, policies, schedules and the stop switch belong to a person, never to a run.");
  refusePath(setting, refuse);
  if (policy.policy.autonomy === "read-only" && hasSideEffect(kind) && setting.path?.judgement?.place !== "device") {
    refuse("read-only-autonomy", "The policy's autonomy is read-only, and this changes something.", policy.policy.positions?.get("autonomy"));
  }
  if (facts.actionsLeft !== null && facts.actionsLeft <= 0 && isAction(kind, policy.policy.sandbox.workspace)) {
    refuse("budget-actions", "The policy's limit of actions in its time window is used up.", policy.policy.positions?.get("limits.actions"));
  }
  return voices;
}

function refusePath({ path }: UnitSetting, refuse: (id: string, reason: string, at?: SourcePosition) => void): void {
  if (path === null) return;
  if (path.fault !== null) refuse("undecodable", `What it names is no path that can be judged: ${path.fault}.`);
  if (path.isOwn) refuse("own-state", "This belongs to Warder itself: its state, its keys or the policy of the run.");
  if (path.forbidden !== null) refuse("forbidden-path", "The policy forbids this path: it is never read and never written.", path.forbidden.at);
  if (path.protected !== null) refuse("protected-path", "The policy protects this path: it may be read and is never written.", path.protected.at);
  const { judgement } = path;
  if (judgement === null) return;
  const isReachable =
    path.use === "read"
      ? judgement.place !== "outside"
      : judgement.access === "read-write" || judgement.place === "scratch" || judgement.place === "home" || judgement.place === "device";
  if (!isReachable)
    refuse("outside-roots", path.use === "read" ? "The path is in no root of the policy." : "The path is in no root that the policy opens for writing.");
}

const OWN_VERBS = new Set(["approvals", "start", "policy", "schedule", "hook"]);

/**
 * Whether a command runs one of the parts of Warder that answer to a person. Behind a program that may run
 * another (`isOpaque`: npx, node, an unknown one) any word may be the program.
 */
function isOwnCommand({ argv, via }: SimpleCommand, isOpaque: boolean): boolean {
  const isOwnName = (word: Word | undefined): boolean => word?.kind === "literal" && /(?:^|\/)warder(?:\.[cm]?js)?(?:@[^/]*)?$/u.test(word.value);
  const at = isOwnName(argv[0]) ? 0 : isOpaque ? argv.findIndex(isOwnName) : -1;
  if (at < 0 && !via.some((name) => /(?:^|\/)warder$/u.test(name))) return false;
  return argv.slice(at + 1).some((word) => word.kind !== "literal" || OWN_VERBS.has(word.value));
}
