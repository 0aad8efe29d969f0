import type { EffectKind } from "../../../programs/effect.ts";
import type { OperandSpec, ProgramNode, Role } from "../../../programs/table.ts";
import { newEffect, type NewEffect } from "../../model/effects.ts";
import type { Span, Word } from "../../model/model.ts";
import type { OptionUse, ParsedArguments } from "../reading/arguments.ts";
import { parseArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { literalPath } from "../operands/paths.ts";
import { asFound } from "../reading/option-names.ts";
import { addThrough } from "../reading/project-files.ts";
import { REVIEWS } from "../reviewers/reviewers.ts";
import { readRole } from "../roles/roles.ts";
import { mayBeSeveral, showWord } from "../../model/words.ts";

const NETWORK: ReadonlySet<EffectKind> = new Set(["connects", "sends", "remote", "publishes"]);
const PATH_ROLES: ReadonlySet<Role> = new Set(["read", "read-tree", "code-file", "write", "write-tree", "delete", "delete-tree", "move", "replace"]);

/** Records everything that the table says of a command's words. */
export function interpret(to: Collector, root: ProgramNode, words: readonly Word[]): void {
  const parsed = parseArguments(root, words);
  const { node } = parsed;
  to.program = node.path;
  for (const option of parsed.options) readOptionUse(to, option);
  readOperands(to, parsed);
  readNodeEffects(to, parsed);
  // `command -v NAME` only looks.
  const isListing = parsed.options.some((option) => option.spec.isListing);
  if (parsed.command !== null && !isListing) to.nested.push({ kind: "argv", words: parsed.command, via: node.path });
  readFaults(to, parsed);
  if (node.reviewer !== null) REVIEWS[node.reviewer](to, parsed);
  readOpenQuestions(to, parsed);
  readHosts(to, node.host);
}

/** What the table does not vouch for is `unknown`; before a wrapped command it hides which command that is. */
export function readFaults(to: Collector, { node, faults }: ParsedArguments): void {
  if (faults.length === 0) return;
  const isWrapper = node.operands.some((operand) => operand.role === "command");
  for (const { cause, span, isOpen, isFound } of faults) {
    if (isWrapper && isOpen) addEffect(to, "undecidable", span, cause);
    else if (isFound === true) asFound(to, () => addEffect(to, "unknown", span, cause));
    else addEffect(to, "unknown", span, cause);
  }
}

/** Records what an option does: its effects, and its value in its role. */
export function readOptionUse(to: Collector, option: OptionUse): void {
  if (option.isFound === true) asFound(to, () => readCertainUse(to, option));
  else readCertainUse(to, option);
}

function readCertainUse(to: Collector, { name, spec, value, word }: OptionUse): void {
  for (const kind of spec.effects) addHere(to, kind, word.span, `\`${name}\` makes \`${to.program}\` ${describe(kind)}`);
  if (value !== null && spec.value.kind === "role") readRole(to, spec.value.role, value, true);
}

function readOperands(to: Collector, { node, options, operands }: ParsedArguments): void {
  if (operands.length === 0) return;
  const suppliesFirst = options.some((option) => option.spec.suppliesFirst);
  const overrides = overridesOf(options);
  const specs = suppliesFirst ? node.operands.slice(1) : node.operands;
  // Where a program's options do nothing, a word too many is an error of its own.
  const isUnbounded = !node.traits.has("inert") && !specs.some((spec) => spec.repeats);
  // Where each word is one, each has one role.
  const isOpen = operands.some(mayBeSeveral);
  for (let index = 0; index < operands.length; index += 1) {
    const word = operands[index] as Word;
    const role = roleOf(specs, index, operands.length);
    if (role === null) addEffect(to, "unknown", word.span, `${showWord(word)} is one word more than the table of ${node.path} knows`);
    else if (overrides === null && !isOpen) readRole(to, role, word, false);
    else if (overrides?.length === 1 && !isOpen) readRole(to, overridden(role, overrides[0] ?? role), word, false);
    else {
      const roles = [role, ...furtherRoles(specs, index, operands)];
      const all = overrides === null ? roles : roles.flatMap((each) => overrides.map((override) => overridden(each, override)));
      for (const each of new Set(all)) readRole(to, each, word, false);
      if (isUnbounded && word.kind === "pattern" && mayBeSeveral(word))
        addEffect(to, "unknown", word.span, `${showWord(word)} may become more words than the table of ${node.path} knows`);
    }
  }
}

/** What a word is as well where it becomes several, or stands behind a word that does: `uniq a*` writes the second file that it matches. */
function furtherRoles(specs: readonly OperandSpec[], index: number, operands: readonly Word[]): readonly Role[] {
  if (!operands.slice(0, index + 1).some(mayBeSeveral)) return [];
  const repeated = specs.findIndex((spec) => spec.repeats);
  if (repeated < 0 || index < repeated) return specs.slice(index + 1).map(({ role }) => role);
  // The last word stays the last, unless it becomes several itself.
  const isLast = operands.length - index < specs.length - repeated;
  const role = operands.slice(index, index + 1).some(mayBeSeveral) ? specs[repeated]?.role : undefined;
  return isLast && role !== undefined ? [role] : [];
}

/** `zip -r -m`: each option adds what it makes of the operands; the first one hides no other. Null: none makes anything of them. */
function overridesOf(options: readonly OptionUse[]): readonly Role[] | null {
  let found: Role[] | null = null;
  for (const { spec } of options) {
    const role = spec.operandRole;
    if (role === null) continue;
    if (found === null) found = [role];
    else if (!found.includes(role)) found.push(role);
  }
  return found;
}

/** `-r` widens only what it is about: `read-tree` takes the place of `read` alone, a plain role that of every path. */
function overridden(role: Role, override: Role): Role {
  if (!PATH_ROLES.has(role)) return role;
  return override.endsWith("-tree") && override !== `${role}-tree` ? role : override;
}

/** What is asked of a machine on the network is sent there: a value that is not known beforehand may hold anything. */
function readOpenQuestions(to: Collector, { node, options, operands }: ParsedArguments): void {
  if (to.hosts.length === 0 && !to.effects.some((effect) => effect.kind === "connects")) return;
  for (const word of [...operands, ...options.map((option) => option.value)]) {
    if (word?.kind === "dynamic") addEffect(to, "sends", word.span, `\`${node.path}\` may send ${showWord(word)}`);
  }
}

/** `read* write`: of the words, the last is written and the others are read. */
function roleOf(specs: readonly OperandSpec[], index: number, count: number): Role | null {
  const repeated = specs.findIndex((spec) => spec.repeats);
  if (repeated < 0) return specs[index]?.role ?? null;
  if (index < repeated) return specs[index]?.role ?? null;
  const trailing = specs.length - repeated - 1;
  const fromEnd = count - index;
  if (fromEnd <= trailing) return specs[specs.length - fromEnd]?.role ?? null;
  return specs[repeated]?.role ?? null;
}

function readNodeEffects(to: Collector, { node, options, operands }: ParsedArguments): void {
  if (node.effects.length === 0) return;
  const isListing = options.some(({ spec }) => spec.isListing && !(spec.listsAlone && operands.length > 0));
  for (const { kind, from, isLifted, through } of node.effects) {
    if ((isListing && isLifted) || operands.length < from) continue;
    const span = (operands[0] ?? to.simple.argv[0])?.span ?? to.simple.span;
    const isNamed = node.host !== null && node.host !== "configured" && NETWORK.has(kind);
    if (isNamed) to.effects.push({ ...newEffect(kind, `\`${node.path}\` ${DOES[kind]}`, span), host: { kind: "literal", host: node.host, port: 443 } });
    else if (through === null) addHere(to, kind, span, `\`${node.path}\` ${DOES[kind]}`);
    else addThrough(to, through, effectHere(to, kind, span, `\`${node.path}\` ${DOES[kind]}`));
  }
}

function addHere(to: Collector, kind: EffectKind, span: Span, cause: string): void {
  to.effects.push(effectHere(to, kind, span, cause));
}

/** An effect on files that the words do not name is one on the working directory. */
function effectHere(to: Collector, kind: EffectKind, span: Span, cause: string): NewEffect {
  if (kind !== "reads" && kind !== "writes" && kind !== "deletes") return newEffect(kind, cause, span);
  const path = literalPath(".", to.paths);
  const effect = newEffect(kind, cause, span, path);
  return kind === "deletes" ? { ...effect, isWide: true } : effect;
}

/**
 * Gives each network effect its hosts: those that words name, else the one that the program's configuration chooses. A host alone is
 * `connects`; a value that is not known beforehand in what is asked for makes it `sends`. The first host has each effect with its cause, every other
 * one of each kind: thousands of hosts times thousands of options would be millions.
 */
function readHosts(to: Collector, table: string | null): void {
  if (to.hosts.length === 0) return table === "configured" ? readConfiguredHost(to) : undefined;
  const isOpen = (effect: NewEffect): boolean => NETWORK.has(effect.kind) && effect.host === undefined;
  const found = to.effects.filter(isOpen);
  const kept = to.effects.filter((effect) => !isOpen(effect));
  to.effects.length = 0;
  for (const effect of kept) to.effects.push(effect);
  const ofEachKind = [...new Map(found.toReversed().map((effect) => [effect.kind, effect])).values()];
  const sends = ofEachKind.some((effect) => effect.kind === "sends");
  for (const [index, { host, isTainted, word, through }] of to.hosts.entries()) {
    for (const effect of index === 0 ? found : ofEachKind) to.effects.push({ ...effect, host, through: through ?? effect.through });
    if (isTainted && !sends) {
      const cause =
        through === undefined
          ? "may carry a value that is not known before it runs"
          : "is a pattern without quotes, for which a file may stand that it matches";
      to.effects.push({ ...newEffect("sends", `${showWord(word)} ${cause}`, word.span), host, through });
    } else if (found.length === 0) {
      to.effects.push({ ...newEffect("connects", `\`${to.program}\` connects to ${showWord(word)}`, word.span), host });
    }
  }
}

/** No word names a host, and the table says that none could have. */
function readConfiguredHost(to: Collector): void {
  for (const [index, effect] of to.effects.entries()) {
    if (effect.kind !== "connects" || effect.host !== undefined) continue;
    to.effects[index] = { ...effect, cause: `${effect.cause} that its configuration names`, host: { kind: "configured" } };
  }
}

const DOES: Readonly<Record<EffectKind, string>> = {
  reads: "reads files",
  writes: "writes files",
  deletes: "deletes files",
  history: "changes a repository's history or index",
  connects: "asks a machine on the network",
  sends: "sends data to a machine on the network",
  remembers: "changes the memory",
  schedules: "starts a job later",
  messages: "sends a message",
  invokes: "calls a foreign tool",
  "runs-code": "runs code",
  publishes: "publishes",
  remote: "changes something on another machine",
  processes: "acts on other processes",
  persists: "changes what runs later",
  privilege: "changes whose rights are used",
  system: "changes the system",
  secrets: "reads secrets",
  unknown: "does what no table says",
  undecidable: "does what cannot be known before it runs",
};

/** The same behind "makes it". */
const DO = new Map(Object.entries(DOES).map(([kind, does]) => [kind, does.replace(/^does\b/, "do").replace(/^(\w+?)s\b/, "$1")]));

function describe(kind: EffectKind): string {
  return DO.get(kind) ?? DOES[kind];
}
