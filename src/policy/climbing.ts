import type { SimpleCommand, Word } from "../shell/model.ts";
import type { Facts } from "./facts.ts";
import { normalisePath } from "./paths.ts";

/**
 * Whether a command names a path by going up (`..`) from a place that may be a link. The analysis resolves `..` in the text, the
 * system after following links: `cat link/../shadow` is another file when `link` leads elsewhere, and so is `../shadow`
 * after `cd link`.
 */
export function climbsFromLink(command: SimpleCommand, path: string, facts: Facts): boolean {
  if (!mayClimb(command)) return false;
  const { cwd } = command;
  const words = [...command.argv, ...command.redirections.map(({ target }) => target)].flatMap(texts);
  if (cwd.kind !== "known") return true;
  const sources = words.filter((word) => normalisePath(word.startsWith("/") ? word : `${cwd.path}/${word}`) === path);
  const fact = facts.paths.get(cwd.path);
  const isRealDirectory = fact !== undefined && fact.error === undefined && fact.real === cwd.path;
  return (sources.length > 0 ? sources : words).some((word) => climbsFromName(word) || (word.startsWith("..") && !isRealDirectory));
}

function mayClimb({ argv, redirections }: SimpleCommand): boolean {
  return argv.some((word) => textOf(word).includes("..")) || redirections.some(({ target }) => textOf(target).includes(".."));
}

function textOf(word: Word): string {
  return word.kind === "literal" ? word.value : word.kind === "pattern" ? word.glob : word.prefix;
}

/** `a/..`, and not `../../a`. */
function climbsFromName(word: string): boolean {
  const components = word.split("/").filter((component) => component !== "" && component !== ".");
  const lastClimb = components.lastIndexOf("..");
  return components.slice(0, Math.max(lastClimb, 0)).some((component) => component !== "..");
}

/** What of a word may be a path: all of it, and what follows `=` in an option. */
function texts(word: Word): string[] {
  const text = textOf(word);
  const equals = text.indexOf("=");
  return equals < 0 ? [text] : [text, text.slice(equals + 1)];
}
