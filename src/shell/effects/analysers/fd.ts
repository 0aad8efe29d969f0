import type { ProgramNode } from "../../../programs/table.ts";
import type { Word } from "../../model/model.ts";
import { parseArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { interpret } from "./by-table.ts";
import { literalPrefix, literalValue, showWord, dynamicWord, pathsBelow } from "../../model/words.ts";
import { mayEndCommand } from "./command-end.ts";

const RUNNING = new Set(["-x", "--exec", "-X", "--exec-batch"]);
/** What makes fd print its paths in another way than from where it looked. */
const REWRITING = ["--base-directory", "--path-separator", "--strip-cwd-prefix", "-a", "--absolute-path", "--format"];
const MARKER = /\{(?:|\/|\/\/|\.|\/\.)\}/;

/** fd 8.6: a pattern and where to look; behind `-x` or `-X`, up to `;`, the words of a command for what is found. */
export function readFd(to: Collector, words: readonly Word[], node: ProgramNode): void {
  const rest: Word[] = [];
  const commands: Word[][] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as Word;
    // Attached to other letters (`-Hx`) it stays an option of the table, which runs code.
    if (!RUNNING.has(literalValue(word) ?? "")) {
      rest.push(word);
      continue;
    }
    const end = words.findIndex((each, index) => index > at && literalValue(each) === ";");
    const command = words.slice(at + 1, end < 0 ? words.length : end);
    commands.push(command);
    for (const [index, each] of command.entries())
      if (mayEndCommand({ before: command[index - 1], word: each, after: words[at + index + 2] }, (text) => text.startsWith("-")))
        addEffect(to, "unknown", each.span, `${showWord(each)} may end the command of \`${literalValue(word) ?? ""}\``);
    at = end < 0 ? words.length : end;
  }
  interpret(to, { ...node, analyser: null }, rest);
  if (commands.length === 0) return;
  const { options, operands } = parseArguments(node, rest);
  const roots = options.some(({ spec }) => REWRITING.some((name) => spec.names.includes(name)))
    ? null
    : rootsOf(
        operands.slice(1),
        options.flatMap(({ spec, value }) => (spec.names.includes("--search-path") ? [value] : [])),
      );
  for (const command of commands) {
    const [program] = command;
    if (program === undefined) addEffect(to, "unknown", to.simple.span, "`-x` of fd has no command");
    else nest(to, command, roots);
  }
}

/** Where it looks; null when that is not known. Its paths begin with these words, `./` where there are none. */
function rootsOf(operands: readonly Word[], searched: readonly (Word | null)[]): readonly string[] | null {
  const words = [...operands, ...searched];
  const texts = words.flatMap((word) => (word?.kind === "literal" && !word.value.startsWith("-") && word.value !== "" ? [word.value] : []));
  if (texts.length !== words.length) return null;
  return texts.length === 0 ? ["."] : texts;
}

function nest(to: Collector, command: readonly Word[], roots: readonly string[] | null): void {
  const [program] = command;
  if (program === undefined) return;
  const paths: readonly Word[] = roots === null ? [unknownPath(program)] : roots.flatMap((root) => pathsBelow(program.span, root));
  if (!command.some((word) => MARKER.test(word.kind === "pattern" ? word.glob : literalPrefix(word)))) {
    to.nested.push({ kind: "argv", words: [...command, ...paths], via: "fd" });
    return;
  }
  // A part of a path (`{/}`, `{.}`) may be any word.
  for (const path of paths) {
    const words = command.map((word) => (literalValue(word) === "{}" ? path : MARKER.test(showWord(word)) ? unknownPath(word) : word));
    to.nested.push({ kind: "argv", words, via: "fd" });
  }
}

function unknownPath(near: Word): Word {
  const text = literalPrefix(near);
  const at = text.search(MARKER);
  return dynamicWord("appended-by-wrapper", at < 0 ? "" : text.slice(0, at), near.span);
}
