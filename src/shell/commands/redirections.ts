import { readSubscript } from "../words/arithmetic.ts";
import { markQuoted } from "../text/coverage.ts";
import { pathOperand, withoutHome } from "../effects/operands/paths.ts";
import type { PathContext } from "../effects/operands/paths.ts";
import { isPipe, openWord } from "../model/words.ts";
import { addUndecidable, spanOf, spendNode } from "../state/scope.ts";
import { newEffect, type NewEffect } from "../model/effects.ts";
import type { HostOperand, Redirection, RedirectionEffect, Span, Stdin, Word } from "../model/model.ts";
import type { HereDoc, RedirectionNode, WordNode } from "../text/parse.ts";
import type { State } from "../state/state.ts";
import { noteLosing, recordAssignment } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";
import { checkExtendedGlob, checkParentheses } from "../words/parentheses.ts";
import { singleWord, textOfParts } from "../words/words.ts";

const EFFECTS: Readonly<Record<string, RedirectionEffect>> = {
  ">": "write",
  ">|": "write",
  "&>": "write",
  ">>": "append",
  "&>>": "append",
  "<": "read",
  "<>": "read-write",
};

/** Reads redirections in their order, with every substitution in their targets. */
export function readRedirections(scope: Scope, nodes: readonly RedirectionNode[], state: State): readonly Redirection[] {
  const redirections: Redirection[] = [];
  let inner = scope;
  for (const node of nodes) {
    const redirection = readRedirection(inner, node, state);
    if (redirection === null) continue;
    redirections.push(redirection);
    noteDescriptor(scope, redirection);
    // What stands in the words behind it reads from there already: `: < f 3<<< "$(xargs cat)"`.
    if (feedsInput(redirection)) inner = { ...scope, stdin: { kind: "inherited" } };
  }
  return redirections;
}

function readRedirection(scope: Scope, node: RedirectionNode, state: State): Redirection | null {
  if (!spendNode(scope, node)) return null;
  const span = spanOf(scope, node);
  const fd = readDescriptor(scope, node, state);
  if (node.type === "HereDoc") return { fd, operator: node.operator, target: readHereDocument(scope, node, state), effect: "text", span };
  if (node.target === undefined) {
    addUndecidable(scope, "parse-error", span);
    return null;
  }
  checkParentheses(scope, node.target);
  if (node.type === "HereString") {
    checkExtendedGlob(scope, node.target);
    checkNumber(scope, node.operator, node.target);
    return { fd, operator: "<<<", target: singleWord(scope, node.target, { state, place: "text" }), effect: "text", span };
  }
  const target = singleWord(scope, node.target, { state, place: "target" });
  checkNumber(scope, node.operator, node.target);
  if (node.operator === ">&" || node.operator === "<&") {
    return { fd, operator: node.operator, target, effect: readDuplicate(scope, { text: node.target.text, operator: node.operator, target }, span), span };
  }
  return { fd, operator: node.operator, target, effect: isNetwork(target) ? "network" : (EFFECTS[node.operator] ?? "write"), span };
}

/** Digits or `{x}` before `<` or `>` are the descriptor of the next redirection, and no word of this one, which bash refuses. */
function checkNumber(scope: Scope, operator: string, { text, pos, end }: Pick<WordNode, "text" | "pos" | "end">): void {
  if (/^[<>]&$/.test(operator) || !/^(?:\d+|\{\w+(?:\[[^]*\])?\})$/.test(text) || !/^[<>]/.test(scope.source.text.slice(end))) return;
  addUndecidable(scope, "parse-error", spanOf(scope, { pos, end }));
}

function readDescriptor(scope: Scope, node: RedirectionNode, state: State): number | null {
  const { descriptor } = node;
  if (descriptor?.type === "FileDescriptor") {
    // A number that is none of a file is a word to bash, and one of two digits to dash.
    const isLong = scope.dialect === "sh" && /^\d\d/.test(scope.source.text.slice(descriptor.pos, descriptor.pos + 2));
    if (descriptor.value >= 2 ** 31 || isLong) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node));
    return descriptor.value;
  }
  if (descriptor !== undefined) {
    const span = spanOf(scope, descriptor);
    // To dash `{x[0]}` is a word before a redirection.
    if (scope.dialect !== "bash") addUndecidable(scope, "unsupported-syntax", span);
    const value = { kind: "literal", value: "10", quoted: false, span } as const;
    const [name = "", ...subscript] = descriptor.name.split("[");
    if (subscript.length > 0) scope.walk.ledger.arrays.add(name);
    if (subscript.length > 0) readSubscript(scope, subscript.join("[").slice(0, -1), span, state);
    recordAssignment(scope, { name, value, span, position: descriptor.pos });
    return null;
  }
  if (mayBeElement(scope.source.text, node.pos)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node));
  return node.operator.startsWith("<") ? 0 : 1;
}

/** `{x["0"]}>f`: the parser takes for a word what names the descriptor, and makes an array, where quotes or a substitution stand in the subscript. */
function mayBeElement(text: string, at: number): boolean {
  return text.startsWith("]}", at - 2) && /(?:^|[\s;&|()<>])\{\w+\[/.test(text.slice(0, at));
}

/** The first descriptor that bash takes for `{x}`; it stands for all behind it. */
const FIRST_NAMED = 10;

/** Notes what is opened for reading, and what becomes another descriptor. Nothing else goes on to be opened anew. */
function noteDescriptor(scope: Scope, { fd, effect, target, span }: Redirection): void {
  const { walk } = scope;
  // Enough of them leave none for the pipe of a substitution.
  if (fd === null || fd >= FIRST_NAMED) noteLosing(scope);
  const to = Math.min(fd ?? FIRST_NAMED, FIRST_NAMED);
  const source = target.kind === "literal" ? target.value : "";
  if (effect === "read" && !SOURCE.test(source)) walk.ledger.descriptors.push({ to, from: null, span });
  else if (effect === "duplicate" && /^\d+-?$/.test(source))
    walk.ledger.descriptors.push({ to, from: Math.min(Number.parseInt(source, 10), FIRST_NAMED), span });
}

type Duplicate = { readonly text: string; readonly operator: string; readonly target: Word };

/** Bash expands the word behind `>&` twice, so that quotes do not protect it, and ends it behind a `-`: only plain words are decided. */
function readDuplicate(scope: Scope, duplicate: Duplicate, span: Span): RedirectionEffect {
  if (/^(?:\d+-?|-)$/.test(duplicate.text)) return "duplicate";
  if (duplicate.operator === ">&" && /^[A-Za-z_./][\w./-]*$/.test(duplicate.text)) return isNetwork(duplicate.target) ? "network" : "write";
  addUndecidable(scope, "unsupported-syntax", span);
  return "duplicate";
}

/** Plain characters, escaped or in quotes that are closed. */
const DELIMITER = /^(?:\\?[\w.!@%+=:,/-]|'[\w.!@%+=:,/-]*'|"[\w.!@%+=:,/-]*")+$/;

function readHereDocument(scope: Scope, node: HereDoc, state: State): Word {
  const { body, delimiter } = node;
  const span = spanOf(scope, body);
  const isQuoted = delimiter?.quoted ?? false;
  const text = node.operator === "<<-" ? body.text.replace(/^\t+/gm, "") : body.text;
  if (delimiter === undefined || !DELIMITER.test(delimiter.text)) addUndecidable(scope, "unsupported-syntax", spanOf(scope, node));
  if (delimiter !== undefined) checkNumber(scope, node.operator, delimiter);
  if (isQuoted) {
    markQuoted(scope, body);
    return { kind: "literal", value: text, quoted: true, span };
  }
  // A continuation joins lines before the delimiter is looked for.
  if (/\\\n/.test(body.text)) addUndecidable(scope, "line-continuation", span);
  const parts = body.parts;
  if (parts !== undefined) return withoutTabs(scope, node, textOfParts(scope, parts, { state, span }));
  return { kind: "literal", value: text.replace(/\\([$`\\])/g, "$1"), quoted: true, span };
}

/** Bash takes the tabs at the beginning of each line away before it expands what stands in them, also where a substitution goes over several lines. */
function withoutTabs(scope: Scope, { operator, body }: HereDoc, text: Word): Word {
  if (operator !== "<<-" || !/^\t/m.test(body.text)) return text;
  if (body.parts?.some((part) => part.type !== "Literal" && part.text.includes("\n\t")) === true)
    addUndecidable(scope, "unsupported-syntax", spanOf(scope, body));
  return openWord("parameter", "", text.span);
}

/** Whether a redirection may change what is read as the standard input. */
export function feedsInput({ fd, operator }: Redirection): boolean {
  return fd === 0 || (fd === null && operator.startsWith("<"));
}

/** What a command reads as its standard input, when its own redirections say so. */
export function stdinOf(redirections: readonly Redirection[], ambient: Stdin): Stdin {
  let stdin = ambient;
  for (const redirection of redirections) {
    if (redirection.fd !== 0) continue;
    if (redirection.effect === "text") stdin = { kind: "text", text: redirection.target };
    else if (redirection.effect === "duplicate" || redirection.effect === "network") stdin = { kind: "inherited" };
    else stdin = { kind: "file", target: redirection.target };
  }
  return stdin;
}

const SINK = /^\/dev\/(?:null|stdout|stderr|fd\/[12])$/;
/** Opened anew for writing, these are the files that they were opened from. */
const SOURCE = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/;
const DEVICE = /^\/dev\/(?:tcp|udp)\//;

function isNetwork(target: Word): boolean {
  return target.kind === "literal" && DEVICE.test(target.value);
}

/** What redirections do to the world. Sinks do nothing. */
export function redirectionEffects(redirections: readonly Redirection[], context: PathContext): readonly NewEffect[] {
  const effects: NewEffect[] = [];
  for (const redirection of redirections) addEffects(effects, redirection, context);
  return effects;
}

function addEffects(effects: NewEffect[], redirection: Redirection, context: PathContext): void {
  const { effect, target, span, operator } = redirection;
  if (effect === "text" || effect === "duplicate") return;
  if (effect === "network") {
    // Whatever the operator, the connection takes what is written to it: `exec 3</dev/tcp/h/80; cat f >&3`.
    effects.push({ ...newEffect("sends", `\`${operator}\` opens a connection that may be written to`, span), host: deviceHost(target) });
    return;
  }
  if (target.kind === "literal" ? (effect === "read" ? SOURCE : SINK).test(target.value) : effect === "read" && isPipe(target)) return;
  // A tilde that is left in a target was quoted.
  const path = pathOperand(withoutHome(target), context);
  if (effect !== "read") effects.push(newEffect("writes", `\`${operator}\` writes a file`, span, path));
  if (effect === "read" || effect === "read-write") effects.push(newEffect("reads", `\`${operator}\` reads a file`, span, path));
  if (mayConnect(target)) {
    const kind = effect === "read" ? "connects" : "sends";
    effects.push({ ...newEffect(kind, `\`${operator}\` may open a connection: its target is not known`, span), host: { kind: "dynamic", prefix: "" } });
  }
}

/** A pattern that matches nothing stays as it is: `/dev/tcp/host[1]/80` is a host. */
function mayConnect(target: Word): boolean {
  return target.kind === "pattern" ? DEVICE.test(target.glob) : target.kind === "dynamic" && mayBeDevice(target.prefix);
}

function mayBeDevice(prefix: string): boolean {
  return "/dev/tcp/".startsWith(prefix) || "/dev/udp/".startsWith(prefix) || DEVICE.test(prefix);
}

function deviceHost(target: Word): HostOperand {
  const match = target.kind === "literal" ? /^\/dev\/(?:tcp|udp)\/([^/]+)\/(\d+)$/.exec(target.value) : null;
  if (match === null) return { kind: "dynamic", prefix: "" };
  return { kind: "literal", host: match[1] ?? "", port: Number(match[2]) };
}
