import { existsSync, opendirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import type { Settings } from "../../config/settings.ts";
import { MAIN_FILE, readSkillFolder, type SkillFolder } from "../../config/skills/folder.ts";
import { readFrontMatter, SKILL_NAME } from "../../config/skills/front-matter.ts";
import { readSkillPins, type SkillPin } from "../../config/state/skill-pins.ts";
import { readWorkspaces } from "../../config/state/workspaces.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import { liesIn, realPath } from "../setup/places-apart.ts";

/** Of all roots together; a person looks at each. */
const MAX_SKILLS = 64;
/** Of the file that a person reads whole before they confirm it. */
const MAX_MAIN_BYTES = 64 * 1024;

/** A folder of a root. `problem`: why it is no skill for a run, as a clause; null: it is. */
export type FoundSkill = {
  readonly name: string;
  readonly directory: string;
  /** Null where it cannot be read as a skill. */
  readonly read: { readonly description: string; readonly folder: SkillFolder } | null;
  readonly pin: SkillPin | null;
  readonly problem: string | null;
  /** Whether a person's yes is all that it lacks. */
  readonly isConfirmable: boolean;
};

/** A root or folder in which no skills are looked for, and why, as a clause. */
export type RefusedRoot = { readonly root: string; readonly problem: string };

export type Skills = { readonly found: readonly FoundSkill[]; readonly refused: readonly RefusedRoot[] };

/** Where agents of this account may write, or could ever: their workspaces, `also`, and what the settings give to MCP servers. */
export function agentsPlaces(stateDirectory: string, { mcp }: Settings, also: readonly string[] = []): readonly string[] {
  const ofServers = mcp.flatMap(({ roots }) => roots.flatMap(({ path, access }) => (access === "read-write" ? [path] : [])));
  return [...also, ...(readWorkspaces(stateDirectory) ?? []), ...ofServers];
}

/** The skills in the roots that the person registered, by name, each as it is now beside what was confirmed of it. */
export function findSkills(stateDirectory: string, roots: readonly string[], places: readonly string[]): Skills {
  const refused: RefusedRoot[] = [];
  const pins = readSkillPins(stateDirectory);
  const directories: string[] = [];
  for (const root of roots) {
    const folders = foldersIn(root, places);
    if (typeof folders === "string") refused.push({ root, problem: folders });
    else directories.push(...folders);
  }
  const distinct = [...new Set(directories)];
  const kept = distinct.slice(0, MAX_SKILLS);
  if (kept.length < distinct.length)
    refused.push({ root: roots.join(", "), problem: `there are more than ${String(MAX_SKILLS)} folders; the rest is left out` });
  const looked = kept.flatMap((directory) => lookAt(directory, places, pins) ?? []);
  const count = Map.groupBy(looked, ({ name }) => name);
  const found = looked.map((skill) =>
    (count.get(skill.name)?.length ?? 0) < 2 ? skill : { ...skill, problem: "another folder has the same name", isConfirmable: false },
  );
  return { found: found.toSorted((one, other) => (`${one.name} ${one.directory}` < `${other.name} ${other.directory}` ? -1 : 1)), refused };
}

/** The folders of a root by real path, hidden ones left out; or why there are none to be had. */
function foldersIn(named: string, places: readonly string[]): readonly string[] | string {
  try {
    const root = realpathSync(named);
    if (liesIn(named, places) || liesIn(root, places)) return "it lies where agents may write";
    const status = statSync(root);
    if (!status.isDirectory()) return "it is no directory";
    if (status.uid !== 0 && status.uid !== process.getuid?.()) return "it belongs to somebody else";
    if ((status.mode & 0o002) !== 0) return "everybody may write there; run: chmod o-w on it";
    const folders: string[] = [];
    const listing = opendirSync(root);
    try {
      for (let entry = listing.readSync(); entry !== null && folders.length <= MAX_SKILLS; entry = listing.readSync())
        if (!entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink())) folders.push(join(root, entry.name));
    } finally {
      listing.closeSync();
    }
    return folders.toSorted();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "") throw error;
    return code === "ENOENT" ? "it is not there" : `it cannot be read (${code})`;
  }
}

/** Null: it is a folder of something else. */
function lookAt(directory: string, places: readonly string[], pins: readonly SkillPin[]): FoundSkill | null {
  const name = makeVisibleLine(directory.slice(directory.lastIndexOf("/") + 1)).slice(0, 100);
  const pin = pins.find((each) => each.name === name) ?? null;
  const refuse = (problem: string): FoundSkill => ({ name, directory, read: null, pin, problem, isConfirmable: false });
  if (realPath(directory) !== directory) return refuse("it is a link");
  if (!existsSync(join(directory, MAIN_FILE))) return null;
  if (!SKILL_NAME.test(name) || name.length > 64) return refuse("its folder's name has other characters than lower-case letters, digits and single -");
  if (liesIn(directory, places) || places.some((place) => isWithin(realPath(place), directory))) return refuse("agents may write there");
  const folder = readSkillFolder(directory);
  if ("problem" in folder) return refuse(folder.problem);
  const main = folder.files.find(({ path }) => path === MAIN_FILE);
  if ((main?.bytes ?? 0) > MAX_MAIN_BYTES) return refuse(`${MAIN_FILE} is longer than ${String(MAX_MAIN_BYTES / 1024)} KiB`);
  const said = readFrontMatter(main?.text ?? "");
  if ("problem" in said) return refuse(said.problem);
  if (said.name !== name) return refuse(`${MAIN_FILE} calls it ${said.name}, and its folder is called otherwise`);
  const problem = pinProblem(directory, folder, pin);
  return { name, directory, read: { description: said.description, folder }, pin, problem, isConfirmable: problem !== null };
}

function pinProblem(directory: string, folder: SkillFolder, pin: SkillPin | null): string | null {
  if (pin === null) return "it is not confirmed";
  return pin.digest === folder.digest && pin.directory === directory ? null : "it was changed since it was confirmed";
}
