import type { Word } from "../../model/model.ts";
import type { ParsedArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addPath, addPathOperand } from "../reading/collector.ts";
import { changeDirectory, literalPath, pathOperand } from "../operands/paths.ts";
import { isUnbounded, literalAt, literalPrefix, literalValue, showWord, openWord, patternWord } from "../../model/words.ts";

// What programs write under names that they make of their words.

/**
 * Of the name behind `-o` curl makes another: `#1` becomes what stands between the braces of the address (`{../../x}`), and `--output-dir` stands before it,
 * also where the name begins with a slash.
 */
export function reviewOutputs(to: Collector, { operands, options }: ParsedArguments): void {
  const valuesOf = (name: string): readonly Word[] => options.flatMap(({ spec, value }) => (value !== null && spec.names.includes(name) ? [value] : []));
  const isFilledIn = [...operands, ...valuesOf("--url")].some((word) => word.kind !== "literal" || /\{|^@/.test(word.value));
  for (const word of valuesOf("--output")) {
    const text = literalPrefix(word);
    const at = isFilledIn ? text.search(/#\d/) : -1;
    const nameIn = (place: string): Word => {
      if (word.kind === "literal" && at < 0) return literalAt(word, place + text);
      return openWord("appended-by-wrapper", place + (at < 0 ? text : text.slice(0, at)), word.span);
    };
    if (at >= 0) addPath(to, "writes", nameIn(""));
    if (text === "-") continue;
    for (const directory of valuesOf("--output-dir")) {
      const path = pathOperand(nameIn("./"), { ...to.paths, directory: changeDirectory(directory, to.paths) });
      addPathOperand(to, "writes", { path, span: word.span, shown: showWord(word) });
    }
  }
}

/**
 * A copy has the name of what is written and a suffix behind it, which may be a name of its own: `sed -ic p .npmr` writes `.npmrc`. What is written into a
 * directory is not named at all.
 */
export function reviewCopies(to: Collector, { node, options, operands }: ParsedArguments): void {
  const isEdited = node.operands[0]?.role === "sed-script";
  const isGiven = options.some(({ spec }) => spec.suppliesFirst);
  const written = isEdited ? operands.slice(isGiven ? 0 : 1) : operands.slice(-1);
  for (const { spec, value } of options) {
    if (value?.kind !== "literal" || spec.value.kind !== "role" || spec.value.role !== "suffix") continue;
    const suffix = value.value.replace(/^\*/, "");
    // That one is unknown already.
    if (/[*/]/.test(suffix)) continue;
    for (const word of written) {
      if (word.kind === "literal") addPath(to, "writes", { ...word, value: word.value + suffix });
      else if (word.kind === "pattern") addPath(to, "writes", { ...word, glob: word.glob + escapeGlob(suffix) });
    }
  }
}

/** What writes files writes those that its words name, wherever they lie: `black ../x`. */
export function reviewRewriting(to: Collector, { operands }: ParsedArguments): void {
  const here = literalPath(".", to.paths);
  const written = to.effects.filter(({ kind, path }) => kind === "writes" && here.kind === "literal" && path?.kind === "literal" && path.path === here.path);
  for (const effect of written)
    for (const word of operands) to.effects.push({ ...effect, cause: `\`${to.program}\` writes ${showWord(word)}`, path: pathOperand(word, to.paths) });
}

/** A file in whose place a packed or an unpacked one is written: what it unpacks has the name without its ending, so that `gunzip .npmrc.gz` writes `.npmrc`. */
export function readReplaced(to: Collector, word: Word): void {
  addPath(to, "writes", word);
  addPath(to, "deletes", word, isUnbounded(word));
  const bare = withoutEnding(word);
  if (bare !== null) addPath(to, "writes", bare);
}

/** The name of a packed file without what packing added to it; null where it has none, or is not known. */
function withoutEnding(word: Word): Word | null {
  const text = word.kind === "literal" ? word.value : word.kind === "pattern" ? word.glob : "";
  const match = /^([^]*[^/])[._-](?:gz|z|Z|zz|bz2?|xz|lzma|lz|lz4|zst|br)$/.exec(text);
  const bare = match?.[1];
  if (bare === undefined || word.kind === "dynamic") return null;
  return word.kind === "literal" ? { ...word, value: bare } : { ...word, glob: bare };
}

/** Whatever begins as the word does. */
export function beginning(word: Word): Word {
  if (word.kind === "dynamic") return word;
  return patternWord(`${word.kind === "pattern" ? word.glob : escapeGlob(word.value)}*`, word.span);
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]()|!+@]/g, "\\$&");
}

/** What plutil converts or takes out it writes in the place of the file, unless its one output is the standard output. */
export function reviewPlists(to: Collector, { operands, options }: ParsedArguments): void {
  const outputs = options.filter(({ name }) => name === "-o" || name === "-e");
  const isShown = outputs.length === 1 && outputs[0]?.name === "-o" && literalValue(outputs[0].value ?? undefined) === "-";
  if (isShown || !options.some(({ name }) => name === "-convert" || name === "-extract")) return;
  for (const word of operands) addPath(to, "writes", word);
}
