import { isMeasured, type PathFact } from "../../policy/facts.ts";
import type { Request } from "../../policy/request.ts";
import { besideDatabase } from "../../shell/effects/operands/file-names.ts";
import { effectOf, isQuietEffect, newEffect } from "../../shell/model/effects.ts";
import type { CommandAnalysis, Condition, Effect, PlainSchema, ProjectFiles } from "../../shell/model/model.ts";
import type { FactSource } from "./fact-source.ts";
import type { Measured } from "./measure.ts";
import { nameOfLook, nameOfRepository, type NameLook, patternOf } from "./needed-facts.ts";

/**
 * The measurements that {@link withoutAbsent} needs. On the host the files right in the home are the person's own, which no policy opens for
 * writing; in a sandbox commands may write there, so those files are looked at too.
 */
type Look = Pick<Measured, "paths" | "tables" | "plain" | "ordinary" | "unmatched" | "repositories"> & Pick<FactSource, "measured">;

/**
 * The request without its conditional effects whose condition certainly does not hold (no Makefile, only plain file names), and with those of the repositories that
 * its commands obey. The analysis keeps both, so they are measured again before anything runs.
 */
export function withoutAbsent(request: Request, look: Look): Request {
  if (request.kind !== "command") return request;
  const obeyed = obeyedEffects(request.analysis, look);
  if (obeyed.length > 0) return { ...request, analysis: { ...request.analysis, effects: [...request.analysis.effects, ...obeyed] } };
  if (request.analysis.effects.every(({ through }) => through === undefined)) return request;
  const { analysis } = request;
  const without = new Set<Condition>();
  const effects = analysis.effects.filter(({ through }) => {
    if (through === undefined || !isAbsent(through, look)) return true;
    without.add(through);
    return false;
  });
  // An effect that stays may create what another condition looked for.
  const isDisturbed = effects.some((effect) => effect.through !== undefined && !isQuietEffect(effect));
  return without.size === 0 || isDisturbed ? request : { ...request, analysis: { ...analysis, effects, without: [...without] } };
}

/** That git runs what its repository names. An effect that comes about so may make whatever another condition looks for. */
function obeyedEffects({ repositories = [] }: CommandAnalysis, look: Look): readonly Effect[] {
  return repositories.flatMap((repository) => {
    const steering = look.repositories.get(nameOfRepository(repository));
    if (steering === null) return [];
    const cause = `\`${repository.program}\` may run code because of ${steering ?? "a repository that nobody looked at"}`;
    return [effectOf(repository.simple, newEffect("runs-code", cause, repository.span))];
  });
}

function isAbsent(condition: Condition, look: Look): boolean {
  switch (condition.kind) {
    case "files":
      return areMissing(condition, look);
    case "plain-schema":
      return isPlain(condition, look);
    case "named-files":
      return isRealDirectory(look.paths.get(condition.directory), condition.directory) && look.unmatched.has(patternOf(condition));
    case "option-names":
      return isRealDirectory(look.paths.get(condition.directory), condition.directory) && look.ordinary.has(condition.directory);
    case "odd-names":
      return condition.starts.every((start) => isPlainBelow({ start, as: condition.as }, look));
  }
}

function isPlain({ database, tables }: PlainSchema, { paths, tables: known }: Look): boolean {
  const found = known.get(database) ?? null;
  return found !== null && tables.every((name) => found.includes(name)) && isAlone(database, besideDatabase(database), paths);
}

/** SQLite looks beside the file that it really opens for what is to be in it. What a link there leads to, it makes. */
function isAlone(file: string, beside: readonly string[], paths: Look["paths"]): boolean {
  const place = paths.get(file);
  if (!isMeasured(place) || place.type !== "file" || place.real !== file) return false;
  return beside.every((path) => isMissing(paths.get(path)) && paths.get(path)?.real === path);
}

/** A program looks above the directory that it really stands in, or beside the file that it opens. */
function areMissing({ directory, files, homeFiles }: ProjectFiles, { paths, measured }: Look): boolean {
  const place = paths.get(directory);
  const looked = measured === "host" ? files : [...files, ...homeFiles];
  return isAlone(directory, looked, paths) || (isRealDirectory(place, directory) && looked.every((file) => isMissing(paths.get(file))));
}

/** A program looks around where it really stands. */
function isRealDirectory(place: PathFact | undefined, directory: string): boolean {
  return isMeasured(place) && place.type === "directory" && place.real === directory;
}

/** A link would lead elsewhere. At what is missing and at a file there is one name, which the command holds. */
function isPlainBelow(names: NameLook, { paths, plain }: Look): boolean {
  const place = paths.get(names.start);
  if (!isMeasured(place) || place.real !== names.start) return false;
  return place.type === "directory" ? plain.has(nameOfLook(names)) : place.type === "missing" || place.type === "file";
}

function isMissing(fact: PathFact | undefined): boolean {
  return isMeasured(fact) && fact.type === "missing";
}
