import type { ProgramNode } from "../../../programs/table.ts";
import type { Word } from "../../model/model.ts";
import type { OptionUse, ParsedArguments } from "../reading/arguments.ts";
import { parseArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath, addPathOperand } from "../reading/collector.ts";
import { readFaults, readOptionUse } from "./by-table.ts";
import { changeDirectory, pathOperand } from "../operands/paths.ts";
import { behind, literalAt, literalPrefix, literalValue, showWord } from "../../model/words.ts";

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
  for (const option of parsed.options) if (!isNamed(option, "-C") && !isNamed(option, "--add-file")) readOptionUse(to, option);
  readArchives(to, parsed, mode);
  if (mode === "list") return readListed(to, parsed, ["reads"]);
  if (mode === "extract") return extract(to, parsed);
  readListed(to, parsed, removes(parsed) ? ["reads", "deletes"] : ["reads"]);
  for (const directory of directoriesOf(to, parsed)) {
    const paths = { ...to.paths, directory };
    for (const word of comparedOf(to, parsed, mode)) {
      const path = pathOperand(word, paths);
      addPathOperand(to, "reads", { path, span: word.span, shown: showWord(word), isWide: mode !== "compare" });
      // To bsdtar `@FILE` is an archive whose members are copied.
      if (literalPrefix(word).startsWith("@"))
        addPathOperand(to, "reads", { path: pathOperand(behind(word, 1), paths), span: word.span, shown: showWord(word) });
      if (removes(parsed)) addPathOperand(to, "deletes", { path, span: word.span, shown: showWord(word), isWide: true });
    }
  }
}

/** What is read besides the archive. Without an operand a comparison reads all that the archive names. */
function comparedOf(to: Collector, { operands, options }: ParsedArguments, mode: string): readonly Word[] {
  const isAll = mode === "compare" && operands.length === 0;
  const added = options.flatMap((option) => (isNamed(option, "--add-file") && option.value !== null ? [option.value] : []));
  return isAll ? [{ kind: "literal", value: ".", quoted: true, span: to.simple.span }] : [...operands, ...added];
}

/** Where operands may be looked for: each `-C` holds for the words behind it, and starts from the one before. */
function directoriesOf(to: Collector, { options }: ParsedArguments): (string | null)[] {
  const found = [to.paths.directory];
  for (const option of options) {
    if (isNamed(option, "-C") && option.value !== null) found.push(changeDirectory(option.value, { ...to.paths, directory: found.at(-1) ?? null }));
  }
  return found;
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

function extract(to: Collector, parsed: ParsedArguments): void {
  if (parsed.options.some((option) => isNamed(option, "-O"))) return readListed(to, parsed, ["reads"]);
  readListed(to, parsed, ["writes"]);
  const directories = directoriesOf(to, parsed);
  for (const directory of directories.length > 1 ? directories.slice(1) : directories) {
    const path = directory === null ? ({ kind: "dynamic", prefix: "" } as const) : ({ kind: "literal", path: directory } as const);
    addPathOperand(to, "writes", { path, span: to.simple.span, shown: directory ?? "a directory that is not known", isWide: true });
  }
}

/** `-T FILE`: its lines name files, behind `-C` the directories where they are, and behind another `-T` further lists, whose lines an error shows. */
function readListed(to: Collector, { options }: ParsedArguments, kinds: readonly ("reads" | "writes" | "deletes")[]): void {
  for (const option of options) {
    if (!(isNamed(option, "-T") || isNamed(option, "--files-from")) || option.value === null) continue;
    const listed = { path: { kind: "dynamic", prefix: "" }, span: option.word.span, shown: `what ${showWord(option.value)} names`, isWide: true } as const;
    for (const kind of kinds) addPathOperand(to, kind, listed);
  }
}

function removes({ options }: ParsedArguments): boolean {
  return options.some((option) => option.spec.names.includes("--remove-files"));
}
