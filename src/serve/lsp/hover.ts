import { exampleOfRule } from "../../policy/comparing/command-examples.ts";
import { Deciders } from "../../policy/comparing/wanted.ts";
import { wordsText } from "../../policy/matching/rule-words.ts";
import { hoursText } from "../../policy/text/hours.ts";
import { usesText } from "../../policy/text/uses.ts";
import type { CommandRule, Policy } from "../../policy/policy.ts";
import { wantedText } from "../../policy/printing/difference-words.ts";
import type { YamlPart } from "../../policy/text/yaml-parts.ts";
import { inlineCode } from "../text/markdown.ts";
import { descriptionOf, schemasAt, type SchemaNode, valuesOf } from "./schema-place.ts";

/** What a text says, once it loads: the policy with all that it extends, and the ids of its own rules in their order. */
export type Loaded = { readonly policy: Policy; readonly ruleIds: readonly string[] };

export type Setting = { readonly workspace: string; readonly home: string; readonly nowMs: number };

const RULE_KEYS: ReadonlySet<string | number> = new Set(["id", "allow", "ask", "deny"]);

/** What is known of a key or value, as Markdown; null where there is nothing to say. `loaded`: null while the text does not load. */
export function hoverText(part: YamlPart, schema: SchemaNode, loaded: Loaded | null, setting: Setting): string | null {
  const rule = loaded === null ? undefined : ruleAt(part, loaded);
  if (rule !== undefined && loaded !== null) return ruleText(rule, loaded.policy, setting);
  const nodes = schemasAt(schema, part.path);
  if (nodes.length === 0) return null;
  const [description, values] = [descriptionOf(nodes), valuesOf(nodes)];
  const name = part.path.filter((step) => typeof step === "string").join(".");
  return [
    `**${inlineCode(name)}**`,
    ...(description === "" ? [] : [description]),
    ...(values.length === 0 ? [] : [`One of ${values.map(inlineCode).join(", ")}.`]),
  ].join("\n\n");
}

function ruleAt({ path }: YamlPart, { policy, ruleIds }: Loaded): CommandRule | undefined {
  const [commands, rules, index, key = ""] = path;
  if (commands !== "commands" || rules !== "rules" || typeof index !== "number" || !RULE_KEYS.has(key)) return undefined;
  return policy.commands.rules.find(({ id }) => id === ruleIds[index]);
}

function seenText({ when }: CommandRule): string {
  if (when === undefined) return "";
  return when.length === 0 ? ", whatever else allows it" : `, once the model was given what is ${when.join(" and ")}`;
}

function limitText(verdict: CommandRule["verdict"], max: NonNullable<CommandRule["max"]>): string {
  return `It is limited to ${inlineCode(usesText(max))}. Beyond that it ${verdict === "allow" ? "says nothing" : "denies"}.`;
}

/** What the rule says, and what the whole policy decides about a short command that the rule is about. */
function ruleText(rule: CommandRule, policy: Policy, { nowMs, ...places }: Setting): string {
  const wanted = exampleOfRule(rule);
  const [{ verdict, rules }] = new Deciders(policy, policy, places).decide(wanted, { containment: "profile", seen: rule.when ?? [], nowMs });
  const by = rules[0]?.id ?? "";
  return [
    `**${inlineCode(rule.id)}** says ${rule.verdict} to ${inlineCode(wordsText(rule.words))}${seenText(rule)}.`,
    ...(rule.group === undefined ? [] : [`This is the first command of the group ${inlineCode(rule.group.name)}, version ${String(rule.group.version)}.`]),
    ...(rule.except === undefined ? [] : [`It says nothing about ${rule.except.map((words) => inlineCode(wordsText(words))).join(", ")}.`]),
    ...(rule.between === undefined ? [] : [`It speaks between ${inlineCode(hoursText(rule.between))}.`]),
    ...(rule.max === undefined ? [] : [limitText(rule.verdict, rule.max)]),
    `The policy says **${verdict}** to ${inlineCode(wantedText(wanted))}${by === rule.id ? "" : `, by ${inlineCode(by)}`}.`,
    inlineCode(rule.because),
    ...(rule.owner === undefined ? [] : [`Owner: ${inlineCode(rule.owner)}.`]),
    ...(rule.expires === undefined ? [] : [`Its last day is ${rule.expires} (UTC).`]),
  ].join("\n\n");
}
