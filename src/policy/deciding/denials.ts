import type { Policy } from "../policy.ts";
import { DELEGATES } from "../tool-names.ts";
import { NO_VOICES, type RuleVoice, type SourcePosition, type UnitKind } from "../decision.ts";
import { matchesGlob, parseGlob } from "../matching/glob.ts";
import { hostMatches } from "../matching/hosts.ts";
import { whyUsedUp } from "../matching/rule-uses.ts";
import { asksOwnLoopback } from "./own-loopback.ts";
import type { UnitSetting } from "./step-input.ts";

const HOST_KINDS: ReadonlySet<UnitKind> = new Set(["connects", "sends", "remote", "publishes"]);

/** Step 2: every deny of the policy: a rule, an ask rule beyond its limit, `only`, an effect, a tool, a host that is not allowed. */
export function denials(setting: UnitSetting): readonly RuleVoice[] {
  const { policy, unit, rules, uses, toolVoices } = setting;
  const { commands } = policy.policy;
  const stranger = commands.only === null ? null : strangerTo(commands.only, setting);
  const { kind } = unit.unit;
  const effect = kind === "command" || kind === "call" ? undefined : commands.effects.get(kind);
  const host = HOST_KINDS.has(kind) ? hostDenial(setting) : null;
  const spent = rules.asks.flatMap(({ rule }) => {
    const used = whyUsedUp(rule, uses);
    return used === null ? [] : [deny(rule.id, `It ${used}.`, rule.at)];
  });
  if (rules.denies.length + spent.length === 0 && stranger === null && effect?.verdict !== "deny" && host === null) return toolVoices;
  const voices: RuleVoice[] = [...rules.denies.map(({ rule }) => deny(rule.id, rule.because, rule.at)), ...spent];
  if (stranger !== null) voices.push(deny("only", `${stranger} is not among the programs that the policy lists.`, commands.onlyAt ?? undefined));
  if (effect?.verdict === "deny") voices.push(deny(`effect-${kind}`, `The policy denies the effect \`${kind}\`.`, effect.at));
  voices.push(...toolVoices);
  if (host !== null) voices.push(host);
  return voices;
}

/** A program of the unit's command that `only` does not list; wrappers are programs too, and what cannot be known is never listed. */
function strangerTo(only: readonly string[], { unit }: UnitSetting): string | null {
  if (unit.request === null) return null;
  if (unit.unit.kind === "undecidable") return "A program that cannot be known before it runs";
  const { command } = unit;
  if (command === null || (command.argv.length === 0 && command.via.length === 0)) return null;
  const programs = command.argv.length === 0 ? command.via : [...command.via, command.program];
  const stranger = programs.find((program) => program === null || !only.includes(program));
  if (stranger === undefined) return null;
  return stranger === null ? "A program that cannot be known before it runs" : `\`${stranger}\``;
}

/** What the policy says against a tool: nothing where it allows it. Where `agent` is denied, no other tool gives a task to a sub-agent either. */
export function toolDenials(policy: Policy, tool: string, isDelegating = DELEGATES.has(tool)): readonly RuleVoice[] {
  const names = isDelegating ? [tool, "agent"] : [tool];
  const denied = policy.tools.deny.find((pattern) => names.some((name) => matchesGlob(parseGlob(pattern), name)));
  if (denied !== undefined) return [deny("tool-denied", `The policy denies the tool \`${denied}\`.`, policy.positions?.get(`tools.deny.${denied}`))];
  if (policy.tools.allow.some((pattern) => pattern === "*" || matchesGlob(parseGlob(pattern), tool))) return NO_VOICES;
  return [deny("tool-not-allowed", "The policy does not list this tool.", policy.positions?.get("tools.allow"))];
}

/** An empty list means no network. A host that is known only when the command runs is left to the egress proxy. */
function hostDenial(setting: UnitSetting): RuleVoice | null {
  const { policy, unit } = setting;
  const { allow, registries = [] } = policy.policy.sandbox.network;
  const { kind } = unit.unit;
  if ((kind === "connects" || kind === "sends") && asksOwnLoopback(setting)) return null;
  const at = policy.policy.positions?.get("sandbox.network");
  const { host } = unit;
  if (allow.length === 0 && registries.length === 0) return deny("no-network", "The policy gives its sandbox no network.", at);
  // What a package manager reads no word names: its own configuration does, and the egress proxy holds it to that.
  if (allow.length === 0 && registries.length > 0 && (kind !== "connects" || host?.kind === "literal"))
    return deny("no-network", "The policy opens no host to its sandbox: from its registries packages are read, and no more.", at);
  if (host?.kind !== "literal" || allow.some((pattern) => hostMatches(pattern, host.host, host.port))) return null;
  return deny("host-not-allowed", "The host is not among those that the policy allows.", at);
}

function deny(id: string, reason: string, at: SourcePosition | undefined): RuleVoice {
  return { id, step: "deny", verdict: "deny", reason, ...(at === undefined ? {} : { at }) };
}
