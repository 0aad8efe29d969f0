import { posix } from "node:path";
import { isMeasured } from "../../policy/facts.ts";
import { MAX_READ_BYTES, MAX_TEXT_BYTES } from "../../sandbox/runtime.ts";
import { submodulePaths } from "./git-index.ts";
import { type GitSetting, nameOfSetting, readGitSettings, steeringSettings } from "../../shell/effects/languages/git-settings.ts";
import type { ObeyedRepository } from "../../shell/model/model.ts";
import { isPlainlyMissing, repositoriesFrom, type Repository, type SearchedPlace } from "./git-repositories.ts";

/** What is looked at, and for what. */
export type RepositoryLook = Pick<ObeyedRepository, "directory" | "isCalm" | "isConnecting" | "gainsSubmodules" | "mayAppear" | "mayBecomeBare">;

const AS_IT_IS = { mayAppear: false, mayBecomeBare: false };

/** A repository and its submodules. More of them nobody looks at. */
const MAX_REPOSITORIES = 64;

/** The hooks that git starts for commands that only look, and for those that only fetch. */
const CALM_HOOKS = ["post-index-change", "reference-transaction", "pre-auto-gc"];

/** githooks(5) has no name with a dot or a capital; git's own examples end in `.sample`. */
const HOOK = /^[a-z0-9-]+$/;

/**
 * What makes git run something, or obey a file that nobody looked at, when it starts in a directory: `core.fsmonitor in /w/.git/config`. Null: nothing. All files
 * of a repository's configuration count, those of its submodules too, and its hooks. The person's own configuration does not; `ofCommands` are files in its place
 * that commands may write.
 */
export async function whatSteersGit(place: SearchedPlace, look: RepositoryLook, ofCommands: readonly string[] = []): Promise<string | null> {
  const global = await settingsIn(place, ofCommands);
  if (typeof global === "string") return global;
  const [set] = steeringSettings(global, look.isConnecting);
  if (set !== undefined) return `${nameOfSetting(set)} in the configuration that commands may write`;
  const found = await repositoriesFrom(place, look.directory, look);
  if (typeof found === "string") return found;
  const below = look.gainsSubmodules ? await repositoriesBelow(place, found) : [];
  if (typeof below === "string") return below;
  const seen = new Set<string>();
  const left = [...found, ...below];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const name = `${next.git}\0${next.top ?? ""}`;
    if (seen.has(name)) continue;
    seen.add(name);
    if (seen.size > MAX_REPOSITORIES) return `that there are more than ${String(MAX_REPOSITORIES)} repositories in one another`;
    const repository = next;
    const settings = await settingsOf(place, repository);
    if (typeof settings === "string") return settings;
    const steering =
      steeringIn(settings, repository, look) ?? (await hookOf(place, repository, { settings, look })) ?? (await remotesOf(place, repository, look));
    if (steering !== null) return steering;
    const submodules = await submodulesOf(place, repository, settings);
    if (typeof submodules === "string") return submodules;
    left.push(...submodules);
  }
  return null;
}

type Placed = GitSetting & { readonly file: string };

/** Every line of a repository's own configuration; a sentence's end where it cannot be known. */
async function settingsOf(place: SearchedPlace, { git, common }: Repository): Promise<readonly Placed[] | string> {
  return await settingsIn(place, [posix.join(common, "config"), posix.join(git, "config.worktree")]);
}

async function settingsIn(place: SearchedPlace, files: readonly string[]): Promise<readonly Placed[] | string> {
  const all: Placed[] = [];
  for (const fact of await place.resolve(files)) {
    if (isMeasured(fact) && fact.type === "missing" && fact.real === fact.path) continue;
    const bytes = isMeasured(fact) && fact.type === "file" ? await place.bytes(fact.path, MAX_TEXT_BYTES) : null;
    const settings = bytes === null ? null : readGitSettings(bytes.toString("latin1"));
    if (settings === null) return `what nobody can read in ${fact.path}`;
    for (const setting of settings) all.push({ ...setting, file: fact.path });
  }
  return all;
}

function steeringIn(settings: readonly Placed[], repository: Repository, { isConnecting }: RepositoryLook): string | null {
  for (const setting of steeringSettings(settings, isConnecting)) {
    const name = nameOfSetting(setting);
    if (name === "core.hookspath" || (name === "core.worktree" && isOwnWorktree(setting.value ?? "", repository))) continue;
    const { file } = settings.find((each) => each === setting) ?? { file: "its configuration" };
    return `${name} in ${file}`;
  }
  return null;
}

/** A submodule's configuration says where its files lie: where it was found. */
function isOwnWorktree(value: string, { git, top, within }: Repository): boolean {
  const worktree = posix.resolve(git, value);
  return top === null ? within !== null && worktree.startsWith(`${within}/`) : worktree === top;
}

type HookLook = { readonly settings: readonly GitSetting[]; readonly look: RepositoryLook };

async function hookOf(place: SearchedPlace, repository: Repository, { settings, look }: HookLook): Promise<string | null> {
  const paths = settings.flatMap((each) => (nameOfSetting(each) === "core.hookspath" ? [each.value ?? ""] : []));
  // A home is the person's, and nobody here knows it.
  if (paths.some((path) => path === "" || path.startsWith("~") || path.startsWith("%"))) return "a core.hooksPath that is known only to git";
  const base = repository.top ?? repository.git;
  for (const folder of [posix.join(repository.common, "hooks"), ...paths.map((path) => posix.resolve(base, path))]) {
    const hook = await hookIn(place, folder, look.isCalm);
    if (hook !== null) return hook;
  }
  return null;
}

async function hookIn(place: SearchedPlace, folder: string, isCalm: boolean): Promise<string | null> {
  const [there, ...hooks] = await place.resolve([folder, ...(isCalm ? CALM_HOOKS.map((name) => posix.join(folder, name)) : [])]);
  if (!isMeasured(there)) return `hooks in ${folder}, which could not be looked at`;
  if (there.type === "missing") return isPlainlyMissing(there) ? null : `hooks in ${folder}, which leads elsewhere`;
  if (isCalm) {
    const hook = hooks.find((fact) => !isPlainlyMissing(fact) && !(isMeasured(fact) && fact.type === "missing" && fact.real.startsWith(`${there.real}/`)));
    return hook === undefined ? null : `the hook ${hook.path}`;
  }
  const names = there.type === "directory" ? await place.names(there.real, 1) : null;
  if (names === null) return `hooks in ${folder}, which could not be looked at`;
  const hook = names.find((name) => HOOK.test(name));
  return hook === undefined ? null : `the hook ${posix.join(folder, hook)}`;
}

/** An older way to keep remotes: a file for each (gitrepository-layout(5)). */
async function remotesOf(place: SearchedPlace, { common }: Repository, { isConnecting }: RepositoryLook): Promise<string | null> {
  if (!isConnecting) return null;
  for (const fact of await place.resolve([posix.join(common, "remotes"), posix.join(common, "branches")])) {
    if (isPlainlyMissing(fact)) continue;
    const names = isMeasured(fact) && fact.type === "directory" ? await place.names(fact.real, 1) : null;
    if (names === null || names.length > 0) return `a remote in ${fact.path}`;
  }
  return null;
}

/** Every repository among the files of these: what becomes a submodule. */
async function repositoriesBelow(place: SearchedPlace, repositories: readonly Repository[]): Promise<readonly Repository[] | string> {
  const found: Repository[] = [];
  for (const top of new Set(repositories.flatMap((each) => each.top ?? []))) {
    const names = await place.names(top);
    if (names === null) return `what may lie among the files of ${top}, of which there are too many`;
    const places = names.filter((name) => name.endsWith("/.git"));
    if (places.length > MAX_REPOSITORIES) return `that there are more than ${String(MAX_REPOSITORIES)} repositories in one another`;
    for (const name of places) {
      const below = await repositoriesFrom(place, posix.join(top, posix.dirname(name)), AS_IT_IS, "only");
      if (typeof below === "string") return below;
      found.push(...below);
    }
  }
  return found;
}

/** Where a submodule's files lie, and where its repository does whether or not they are there. */
async function submodulesOf(
  place: SearchedPlace,
  { git, common, top, within }: Repository,
  settings: readonly GitSetting[],
): Promise<readonly Repository[] | string> {
  const found: Repository[] = [];
  const isLong = settings.some((each) => nameOfSetting(each) === "extensions.objectformat" && each.value === "sha256");
  const links = top === null ? [] : await linksOf(place, git, isLong ? 32 : 20);
  if (links === null) return `what nobody can read in ${posix.join(git, "index")}`;
  if (links.length > MAX_REPOSITORIES) return `that there are more than ${String(MAX_REPOSITORIES)} submodules`;
  for (const link of links) {
    const directory = posix.join(top ?? "", link);
    const below = await repositoriesFrom(place, directory, AS_IT_IS, "only");
    if (typeof below === "string") return below;
    found.push(...below);
  }
  for (const folder of new Set([posix.join(common, "modules"), posix.join(git, "modules")])) {
    const kept = await keptIn(place, folder, top ?? within);
    if (typeof kept === "string") return kept;
    found.push(...kept.filter((each) => !found.some((other) => other.git === each.git)));
  }
  return found;
}

async function linksOf(place: SearchedPlace, git: string, idBytes: 20 | 32): Promise<readonly string[] | null> {
  const path = posix.join(git, "index");
  const [fact] = await place.resolve([path]);
  if (isPlainlyMissing(fact)) return [];
  const bytes = isMeasured(fact) && fact.type === "file" ? await place.bytes(path, MAX_READ_BYTES) : null;
  return bytes === null ? null : submodulePaths(bytes, idBytes);
}

/** The repositories of submodules in `modules`, whose names may have slashes. */
async function keptIn(place: SearchedPlace, folder: string, within: string | null): Promise<readonly Repository[] | string> {
  const found: Repository[] = [];
  const folders = [folder];
  for (let looked = 0; folders.length > 0; looked += 1) {
    const next = folders.shift() ?? folder;
    if (looked > 2 * MAX_REPOSITORIES) return `that there are too many directories in ${folder}`;
    const [fact] = await place.resolve([next]);
    if (isPlainlyMissing(fact) || (isMeasured(fact) && fact.type === "file" && looked > 0)) continue;
    const names = isMeasured(fact) && fact.type === "directory" && fact.real === fact.path ? await place.names(next, 1) : null;
    if (names === null) return `what nobody can look at in ${next}`;
    if (names.includes("HEAD")) found.push({ git: next, common: next, top: null, within });
    else folders.push(...names.map((name) => posix.join(next, name)));
  }
  return found;
}
