import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { behind, literalPrefix, literalValue, showWord } from "../../model/words.ts";

/** Keys whose values are no program, no path and no address. */
export const HARMLESS =
  /^(?:color\.[\w.]+|user\.(?:name|email)|author\.\w+|committer\.\w+|core\.(?:quotepath|abbrev|autocrlf|filemode|ignorecase|bare|precomposeunicode|commentchar|whitespace|safecrlf|eol|logallrefupdates|preloadindex|untrackedcache)|advice\.\w+|diff\.(?:noprefix|mnemonicprefix|renames|renamelimit|algorithm|context|colormoved|wserrorhighlight|interhunkcontext|statgraphwidth|suppressblankempty)|log\.(?:date|decorate|follow|showroot|abbrevcommit)|status\.\w+|column\.\w+|grep\.(?:linenumber|patterntype|column|extendedregexp|fullname|threads)|init\.defaultbranch|pull\.(?:rebase|ff)|merge\.(?:conflictstyle|ff|renames)|rebase\.(?:autostash|autosquash)|i18n\.\w+|blame\.(?:date|showemail|coloring)|versionsort\.suffix|gc\.auto|maintenance\.auto|stash\.show\w+|feature\.\w+)$/i;

/** What refs are sorted by. */
const SORTING = /^(?:branch|tag)\.sort$/i;

/**
 * `git -c key=value`: many keys name programs that git runs (pagers, hooks, helpers, aliases), so only
 * keys that are known to name none pass. `color.pager` takes a boolean and belongs to them.
 */
export function readGitConfig(to: Collector, word: Word): void {
  const key = literalPrefix(word).split("=")[0] ?? "";
  const isKnown = word.kind === "literal" || literalPrefix(word).includes("=");
  if (isKnown && HARMLESS.test(key)) return;
  if (isKnown && SORTING.test(key)) return readGitFormat(to, behind(word, key.length + 1));
  // Any other value lets git take a directory's own files for a repository.
  if (/^safe\.barerepository=explicit$/i.test(literalValue(word) ?? "")) return;
  addEffect(to, "runs-code", word.span, `the setting ${showWord(word)} may name a program that git runs`);
}

/** `%+G?`, where a line, a blank or nothing is to stand before what is not empty, `%(*signature)`, and the key `-*signature` of a sort. */
const ASKS_FOR_SIGNATURE = /%[-+ ]?G|%\(\*?signature|^-?(?:v:|version:)?\*?signature/;

/** A template of what is shown of a commit, or what refs are sorted by. */
export function readGitFormat(to: Collector, word: Word): void {
  if (word.kind !== "literal" || ASKS_FOR_SIGNATURE.test(word.value))
    addEffect(to, "runs-code", word.span, `${showWord(word)} may make git run a program that checks signatures`);
}
