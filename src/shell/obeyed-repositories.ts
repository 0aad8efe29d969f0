import { effectOf, isQuietEffect, newEffect } from "./model/effects.ts";
import { literalValue } from "./model/words.ts";
import type { CommandAnalysis, Effect, FoundRepository, ObeyedRepository } from "./model/model.ts";

type Found = FoundRepository & { readonly simple: number };

/**
 * The analysis with the repositories that its commands obey. Where nobody can know beforehand which one it is, or where the text may write what git reads in it, the
 * command counts as one that runs code.
 */
export function withRepositories(analysis: CommandAnalysis, found: readonly Found[]): CommandAnalysis {
  const making = analysis.effects.filter((effect) => !isQuietEffect(effect) && !isPlainChange(analysis, effect));
  const disturbing = making.filter((effect) => mayWriteSettings(analysis, effect));
  const repositories: ObeyedRepository[] = [];
  const effects: Effect[] = [];
  for (const { directory, ...obeyed } of found) {
    const { simple, program, span } = obeyed;
    const isOther = (effect: Effect): boolean => effect.simple !== simple;
    const gainsSubmodules = obeyed.gainsSubmodules || making.some((effect) => isOther(effect) && isOfIndex(analysis, effect));
    const mayBecomeBare = making.some((effect) => isOther(effect) && mayPlaceFiles(found, effect));
    if (directory !== null && !disturbing.some(isOther))
      repositories.push({ ...obeyed, directory, gainsSubmodules, mayAppear: obeyed.mayAppear && making.some(isOther), mayBecomeBare });
    else
      effects.push(
        effectOf(simple, newEffect("runs-code", `\`${program}\` may run what the configuration of its repository names, which ${unknown(directory)}`, span)),
      );
  }
  return { ...analysis, effects: effects.length === 0 ? analysis.effects : [...analysis.effects, ...effects], repositories };
}

/** `git add .` makes submodules of the repositories below. */
function isOfIndex({ simples }: CommandAnalysis, { kind, simple }: Effect): boolean {
  return kind === "history" && simples[simple]?.program === "git";
}

/** Verbs that change something, and of the files at most what is there already. */
const PLACELESS = new Set("git add,git commit,git rm,git branch,git tag,git remote,git reflog,git notes,git replace,git fetch,git push".split(","));

/** `git checkout b` puts there whatever is in `b`. */
function mayPlaceFiles(found: readonly Found[], { simple }: Effect): boolean {
  return found.some((each) => each.simple === simple && !PLACELESS.has(each.program.split(" ", 2).join(" ")));
}

function unknown(directory: string | null): string {
  return directory === null ? "is known only when it runs" : "the same text may write";
}

const CHANGING: ReadonlySet<Effect["kind"]> = new Set(["writes", "deletes", "persists", "system"]);

/** Whether the effect may change which repository git finds, or what it reads there. What runs code beside it could do itself all that git could be made to do. */
function mayWriteSettings(analysis: CommandAnalysis, effect: Effect): boolean {
  // What comes about through a project's files alone is asked about by itself where it does.
  if (!CHANGING.has(effect.kind) || effect.through !== undefined) return false;
  // git writes no configuration but by `git config`, which persists.
  return analysis.simples[effect.simple]?.program !== "git" || effect.kind === "persists";
}

/** What they make or remove has no other name than their words say, and what they make has nothing in it. */
const NAMING = new Set(["touch", "mkdir", "rm", "rmdir", "tee"]);

/** A file or an empty directory is made or removed, whose name means nothing to git; or an empty repository. */
function isPlainChange({ simples }: CommandAnalysis, { kind, path, span, simple }: Effect): boolean {
  const command = simples[simple];
  if ((kind !== "writes" && kind !== "deletes") || command === undefined || path?.kind !== "literal" || isOfGit(path.path)) return false;
  if (NAMING.has(command.program ?? "") || (command.program === "git" && literalValue(command.argv[1]) === "init")) return true;
  return command.redirections.some((each) => each.span.start <= span.start && span.end <= each.span.end);
}

/** Names that make a directory a repository, or steer one (setup.c of git, is_git_directory). */
function isOfGit(path: string): boolean {
  return /\/(?:\.git[^/]*|HEAD|objects|refs|hooks|commondir)(?:\/|$)|\/config(?:\.worktree)?$/i.test(path);
}
