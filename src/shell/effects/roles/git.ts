import type { EffectKind } from "../../../programs/effect.ts";
import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { isRemotePath, remoteHostOf } from "../operands/hosts.ts";
import { changeDirectory, literalPath } from "../operands/paths.ts";
import { literalPrefix, literalValue, showWord } from "../../model/words.ts";

/** Where git looks for a repository. What its configuration names is measured there, as that of the working directory is. */
export function readRepository(to: Collector, word: Word): void {
  addPath(to, "reads", word);
  to.paths = { ...to.paths, directory: changeDirectory(word, to.paths) };
}

/** Verbs that change something and start no hook but {@link ObeyedRepository.isCalm}'s. */
const CALM = new Set("git add,git rm,git mv,git reset,git clean,git apply,git branch,git tag,git remote,git reflog,git notes,git replace,git fetch".split(","));
/** Verbs that put what another commit holds in place of what is there, and look at it then. */
const REPLACING = new Set("git checkout,git switch,git merge,git pull,git rebase,git cherry-pick,git revert,git stash,git am".split(","));
const LOOKING: ReadonlySet<EffectKind> = new Set(["reads", "connects"]);

/** Records the repositories that a command of git obeys. Without a verb git only tells of itself. */
export function noteRepositories(to: Collector, name: string): void {
  if (name !== "git" || to.program === "git" || to.effects.some(({ kind, path }) => kind === "runs-code" && path === undefined)) return;
  const { directory } = to.paths;
  const verb = to.program.split(" ", 2).join(" ");
  const isConnecting = to.effects.some(({ kind }) => kind === "connects");
  const isCalm = CALM.has(verb) || to.effects.every(({ kind }) => LOOKING.has(kind));
  const gainsSubmodules = REPLACING.has(verb) && !isCalm;
  const found = { program: to.program, span: to.simple.span, isCalm, isConnecting, gainsSubmodules };
  const names = to.remotes?.flatMap((word) => literalValue(word) ?? []) ?? (isConnecting ? ["origin"] : []);
  // The name of no remote is a directory's. Where it is a remote's, none has to be there.
  const remotes = names.flatMap((each) => [each, `${each}.git`]).map((each) => ({ ...found, directory: placeOf(to, each), mayAppear: /^\.|\//.test(each) }));
  to.repositories = [{ ...found, directory, mayAppear: true }, ...remotes];
}

function placeOf(to: Collector, name: string): string | null {
  const path = literalPath(name, to.paths);
  return path.kind === "literal" ? path.path : null;
}

/** Where git fetches from or pushes to: a name of the configuration, an address, a path. */
export function readGitUrl(to: Collector, word: Word): void {
  const text = literalPrefix(word);
  if (text.includes("::")) addEffect(to, "runs-code", word.span, `${showWord(word)} makes git run a helper for the transport`);
  else if (word.kind !== "literal" || isRemotePath(text)) to.hosts.push(remoteHostOf(word));
  else {
    (to.remotes ??= []).push(word);
    if (text.includes("/") || text.startsWith(".")) addPath(to, "reads", word);
  }
}

/** `main` is fetched into FETCH_HEAD, `main:here` into a branch; a `+` moves it whatever is lost. */
export function readRefspec(to: Collector, word: Word): void {
  if (word.kind !== "literal" || /[:+*^]/.test(word.value))
    addEffect(to, "history", word.span, `${showWord(word)} may name a ref that \`${to.program}\` moves`);
}
