import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { isRemotePath, remoteHostOf } from "../operands/hosts.ts";
import { changeDirectory } from "../operands/paths.ts";
import { literalPrefix, showWord } from "../../model/words.ts";

/** A repository elsewhere has a configuration of its own, which may name programs to run. */
export function readRepository(to: Collector, word: Word): void {
  const directory = changeDirectory(word, to.paths);
  const from = to.paths.directory;
  const isBelow = directory !== null && from !== null && (directory === from || directory.startsWith(`${from}/`));
  if (isBelow) addPath(to, "reads", word);
  else addPath(to, "runs-code", word);
  to.paths = { ...to.paths, directory };
}

/** Where git fetches from or pushes to: a name of the configuration, an address, a path. */
export function readGitUrl(to: Collector, word: Word): void {
  const text = literalPrefix(word);
  if (text.includes("::")) addEffect(to, "runs-code", word.span, `${showWord(word)} makes git run a helper for the transport`);
  else if (word.kind !== "literal" || isRemotePath(text)) to.hosts.push(remoteHostOf(word));
  else if (text.includes("/") || text.startsWith(".")) addPath(to, "reads", word);
}

/** `main` is fetched into FETCH_HEAD, `main:here` into a branch; a `+` moves it whatever is lost. */
export function readRefspec(to: Collector, word: Word): void {
  if (word.kind !== "literal" || /[:+*^]/.test(word.value))
    addEffect(to, "history", word.span, `${showWord(word)} may name a ref that \`${to.program}\` moves`);
}
