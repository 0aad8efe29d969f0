import type { ProgramNode } from "../../../programs/table.ts";
import type { Word } from "../../model.ts";
import type { OptionUse, ParsedArguments } from "../arguments.ts";
import { parseArguments } from "../arguments.ts";
import type { Collector } from "../collector.ts";
import { addEffect, addPath } from "../collector.ts";
import { readFaults, readOptionUse } from "../interpretation.ts";
import { changeDirectory } from "../paths.ts";
import { literalAt, literalPrefix, literalValue } from "../words.ts";

const MODES: Readonly<Record<string, "create" | "extract" | "list" | "append" | "compare">> = {
  "-c": "create",
  "--create": "create",
  "-x": "extract",
  "--extract": "extract",
  "--get": "extract",
  "-t": "list",
  "--list": "list",
  "-r": "append",
  "--append": "append",
  "-u": "append",
  "--update": "append",
  "-A": "append",
  "--catenate": "append",
  "--concatenate": "append",
  "--delete": "append",
  "-d": "compare",
  "--diff": "compare",
  "--compare": "compare",
};

/** tar: what is read and written depends on the mode, and `-C` moves where (GNU tar 1.34). */
export function readTar(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const parsed = parseArguments(node, withDashes(words, node));
  readFaults(to, parsed);
  const modes = new Set(parsed.options.flatMap(({ name, spec }) => MODES[name] ?? MODES[spec.names[0] ?? ""] ?? []));
  const mode = modes.size === 1 ? [...modes][0] : undefined;
  if (mode === undefined) return addEffect(to, "unknown", to.simple.span, "tar needs exactly one of its modes");
  for (const option of parsed.options) if (!isNamed(option, "-C")) readOptionUse(to, option);
  readArchives(to, parsed, mode);
  const target = parsed.options.findLast((option) => isNamed(option, "-C"))?.value ?? null;
  if (mode === "extract") return extract(to, parsed, target);
  if (mode === "list") return;
  if (target !== null) to.paths = { ...to.paths, directory: changeDirectory(target, to.paths) };
  for (const word of parsed.operands) addPath(to, "reads", word, mode !== "compare");
  if (mode === "create" || mode === "append") removeFiles(to, parsed);
}

function isNamed(option: OptionUse, name: string): boolean {
  return option.spec.names.includes(name);
}

/** `tar xzf a.tgz`: the first word's letters are options, and their values follow in order. */
function withDashes(words: readonly Word[], node: ProgramNode): Word[] {
  const [first, ...rest] = words;
  if (first?.kind !== "literal" || first.value.startsWith("-") || first.value === "") return [...words];
  const options: Word[] = [];
  for (const letter of first.value) {
    options.push(literalAt(first, `-${letter}`));
    const value = node.options.get(`-${letter}`)?.value;
    const next = value?.kind === "role" && !value.isOptional ? rest.shift() : undefined;
    if (next !== undefined) options.push(next);
  }
  return [...options, ...rest];
}

function readArchives(to: Collector, { options }: ParsedArguments, mode: string): void {
  const isLocal = options.some((option) => option.name === "--force-local");
  for (const option of options) {
    if (!isNamed(option, "-f") || option.value === null || literalValue(option.value) === "-") continue;
    // `host:file` is fetched by rsh or ssh.
    if (!isLocal && /^[^/]*:/.test(literalPrefix(option.value)))
      addEffect(to, "remote", option.word.span, "an archive with a `:` in its name is on another machine");
    else addPath(to, mode === "create" || mode === "append" ? "writes" : "reads", option.value);
  }
}

function extract(to: Collector, { options }: ParsedArguments, target: Word | null): void {
  if (options.some((option) => isNamed(option, "-O"))) return;
  addPath(to, "writes", target ?? { kind: "literal", value: ".", quoted: false, span: to.simple.span }, true);
}

function removeFiles(to: Collector, { options, operands }: ParsedArguments): void {
  if (!options.some((option) => option.spec.names.includes("--remove-files"))) return;
  for (const word of operands) addPath(to, "deletes", word, true);
}
