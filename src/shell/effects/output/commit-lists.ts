import type { SimpleCommand } from "../../model/model.ts";
import { literalValue } from "../../model/words.ts";
import { isQuiet, knownWords, passesLines } from "./name-lists.ts";

const REVISION = "[A-Za-z0-9_][\\w./~^@-]*";

// Where there is no such commit, plain `rev-parse` prints its own word.
const ONE_COMMIT = new RegExp(
  [
    `^merge-base (?:(?:--fork-point|--all|--octopus) )?${REVISION}(?: ${REVISION})*$`,
    `^rev-parse (?:(?:--verify|-q|--quiet) )*(?:--verify|--short(?:=\\d+)?) ${REVISION}$`,
    "^rev-parse HEAD(?:[~^]\\d*)*$",
  ].join("|"),
);

/** What chooses among commits, and shows nothing of its own beside them. */
const CHOOSING = new Set(
  (
    "-n -# --max-count --skip --since --after --until --before --author --committer --grep --all-match --invert-grep -i --regexp-ignore-case -E --extended-regexp " +
    "-F --fixed-strings -P --perl-regexp --merges --no-merges --min-parents --max-parents --first-parent --all --branches --tags --remotes --date-order " +
    "--author-date-order --topo-order --reverse --no-walk --full-history --abbrev-commit --no-abbrev-commit --diff-filter --follow -S -G --pickaxe-regex --no-patch -s"
  ).split(" "),
);
const OF_LOG = new Set([...CHOOSING, "--format", "--pretty"]);
const HASH_ALONE = /^(?:t?format:)?%[hH]$/;

/**
 * Whether all that the last of these commands prints are names of commits, in hexadecimal digits, a line each, or `HEAD` and what follows it. The sandbox keeps
 * git log from showing signatures, which are whatever somebody wrote.
 */
export function listsCommits(pipe: readonly SimpleCommand[]): boolean {
  const [first, ...filters] = pipe;
  return first?.program === "git" && pipe.every(isQuiet) && filters.every((filter) => passesLines(filter, "newline")) && namesCommits(first);
}

function namesCommits(simple: SimpleCommand): boolean {
  const texts = simple.argv.slice(1).flatMap((word) => literalValue(word) ?? []);
  if (texts.length !== simple.argv.length - 1) return false;
  if (!texts.some((text) => text.includes(" ")) && ONE_COMMIT.test(texts.join(" "))) return true;
  const [verb] = texts;
  const parsed = verb === "log" || verb === "rev-list" ? knownWords(simple, verb === "log" ? OF_LOG : CHOOSING) : null;
  if (parsed?.node.path === "git rev-list") return true;
  const formats = parsed?.options.filter(({ name }) => name === "--format" || name === "--pretty") ?? [];
  return parsed?.node.path === "git log" && formats.length === 1 && HASH_ALONE.test(literalValue(formats[0]?.value ?? undefined) ?? "");
}
