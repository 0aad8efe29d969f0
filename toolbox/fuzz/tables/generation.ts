import { PROGRAMS } from "../../../src/programs/programs.ts";
import type { OptionSpec, ProgramNode, Role } from "../../../src/programs/table.ts";
import type { Random } from "../../shared/random.ts";
import { OPERANDS, STRANGE, TRIED, VALUES } from "./vocabulary.ts";

/** The words of one command: a program, options that its table names, mutations of them, operands in their roles. */
export function generateArgv(random: Random, depth = 0): string[] {
  const name = random.pick(TRIED);
  const words = [name];
  let node = PROGRAMS.find(name);
  if (node === undefined) return words;
  if (node.options.size > 0 && random.once(8)) words.push(...optionWords(random, node));
  while (node.children.size > 0 && !random.once(12)) {
    const names: string[] = [...node.children.keys()];
    const child: string = random.pick(names);
    words.push(child);
    node = node.children.get(child) ?? node;
    if (random.once(3)) break;
  }
  const operands = operandWords(random, { name, node, depth });
  const options: string[][] = [];
  for (let left = random.below(4); left > 0; left -= 1) options.push(optionWords(random, node));
  if (random.once(14)) options.push([random.pick(STRANGE)]);
  if (random.once(14)) options.push(["--"]);
  for (const option of options) {
    // Options mostly stand before the operands, at times between or behind them.
    const at = random.once(3) ? random.below(operands.length + 1) : 0;
    operands.splice(at, 0, option);
  }
  return [...words, ...operands.flat()];
}

type Subject = { readonly name: string; readonly node: ProgramNode; readonly depth: number };

function operandWords(random: Random, { name, node, depth }: Subject): string[][] {
  const phrases = OPERANDS[name];
  if (phrases !== undefined) {
    const found = [[...random.pick(phrases)]];
    const more = name === "find" || name === "dd" || name === "test" ? random.below(4) : random.once(6) ? 1 : 0;
    for (let left = more; left > 0; left -= 1) found.push([...random.pick(phrases)]);
    return found;
  }
  const words: string[][] = [];
  for (const { role, repeats } of node.operands) {
    if (role === "command") return [...words, depth > 1 ? ["cat", "a.txt"] : generateArgv(random, depth + 1)];
    if (random.once(12)) continue;
    const count = repeats ? 1 + random.below(3) : 1;
    for (let left = count; left > 0; left -= 1) words.push([valueFor(random, role)]);
  }
  if (random.once(20)) words.push([valueFor(random, "read")]);
  return words;
}

function optionWords(random: Random, node: ProgramNode): string[] {
  const specs = [...new Set(node.options.values())];
  if (specs.length === 0) return [];
  let spec = random.pick(specs);
  // What is asked about anyway tells little.
  for (let left = 3; left > 0 && runs(spec); left -= 1) spec = random.pick(specs);
  const name = random.pick(spec.names);
  if (name === "-#") return [`-${String(random.below(9))}`];
  if (spec.value.kind === "none") return [spell(random, node, name)];
  const value = spec.value.kind === "one-of" ? random.pick(spec.value.values) : valueFor(random, spec.value.role);
  const second = spec.value.kind === "role" && spec.value.second !== null ? [valueFor(random, spec.value.second)] : [];
  if (spec.value.isOptional) return random.once(2) ? [spell(random, node, name)] : [attached(spell(random, node, name), value)];
  if (second.length > 0 || random.once(2)) return [spell(random, node, name), value, ...second];
  return [attached(spell(random, node, name), value)];
}

function runs(spec: OptionSpec): boolean {
  const role = spec.value.kind === "role" ? spec.value.role : "text";
  return role === "code" || role === "code-file" || spec.effects.some((kind) => kind === "unknown" || kind === "runs-code");
}

function attached(name: string, value: string): string {
  return name.startsWith("--") ? `${name}=${value}` : `${name}${value}`;
}

/** A long option at times cut short, a letter at times behind others. */
function spell(random: Random, node: ProgramNode, name: string): string {
  if (name.startsWith("--")) return random.once(4) && name.length > 5 ? name.slice(0, 4 + random.below(name.length - 4)) : name;
  if (name.length !== 2 || !random.once(4)) return name;
  const letters = [...node.options]
    .filter(([each, spec]) => /^-[A-Za-z]$/.test(each) && spec.value.kind === "none" && !runs(spec))
    .map(([each]) => each.charAt(1));
  return letters.length === 0 ? name : `-${random.pick(letters)}${name.charAt(1)}`;
}

function valueFor(random: Random, role: Role): string {
  return random.pick(VALUES[role] ?? VALUES.text ?? ["x"]);
}
