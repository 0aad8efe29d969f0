import type { Settings } from "../../config/settings.ts";
import { MAIN_FILE, readSkillFile } from "../../config/skills/folder.ts";
import type { Skill, SkillText } from "../../tools/contract/run-handles.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { writablePlaces } from "../setup/context.ts";
import { agentsPlaces, findSkills, type Skills } from "./find.ts";

/** What a run has of the person's skills. */
export type SkillsOfRun = {
  readonly offered: readonly Skill[];
  /** What a person should know of those that are not offered. */
  readonly notes: readonly string[];
  readonly read: (name: string, file: string | null) => SkillText;
};

const MAX_NOTES = 5;

/** The skills that are as a person confirmed them. Each file is measured again when it is read. */
export function skillsOfRun(stateDirectory: string, settings: Settings, context: WorkspaceContext): SkillsOfRun {
  if (settings.skills.length === 0) return { offered: [], notes: [], read: () => ({ problem: "There are no skills here." }) };
  const skills = findSkills(stateDirectory, settings.skills, agentsPlaces(stateDirectory, settings, writablePlaces(context)));
  const usable = skills.found.flatMap(({ name, directory, read, pin, problem }) =>
    problem === null && read !== null && pin !== null ? [{ name, directory, description: read.description, pin }] : [],
  );
  return {
    offered: usable.map(({ name, description }) => ({ name, description })),
    notes: notesOf(skills),
    read: (name, file) => {
      const skill = usable.find((each) => each.name === name);
      if (skill === undefined) return { problem: `There is no skill ${JSON.stringify(name)}. There are: ${usable.map((each) => each.name).join(", ")}` };
      const { directory, pin } = skill;
      const path = file ?? MAIN_FILE;
      const confirmed = pin.files.find((each) => each.path === path);
      if (confirmed === undefined) return { problem: `The skill ${name} has no file ${JSON.stringify(path)}. Its files: ${shownFiles(pin.files)}` };
      const now = readSkillFile(directory, path);
      if ("problem" in now || now.sha256 !== confirmed.sha256)
        return { problem: `${path} of the skill ${name} was changed since a person confirmed it, so it is not read. Go on without it, and say so.` };
      if (now.text === null) return { problem: `${path} of the skill ${name} is no text.` };
      // A person was shown this file whole before they confirmed it; of the others, that they are there.
      return {
        text: now.text,
        isShown: path === MAIN_FILE,
        further: path === MAIN_FILE ? shownFiles(pin.files.filter((each) => each.path !== MAIN_FILE)) : "",
      };
    },
  };
}

const MAX_FILES_SHOWN = 100;

function shownFiles(files: readonly { readonly path: string }[]): string {
  const more = files.length - MAX_FILES_SHOWN;
  const paths = files.slice(0, MAX_FILES_SHOWN).map(({ path }) => path);
  return more > 0 ? `${paths.join(", ")} and ${String(more)} more` : paths.join(", ");
}

function notesOf({ found, refused }: Skills): readonly string[] {
  const all = [
    ...refused.map(({ root, problem }) => `no skills are taken from ${root}: ${problem}`),
    ...found.flatMap(({ name, problem, isConfirmable }) =>
      problem === null ? [] : [`the skill ${name} is not offered: ${problem}${isConfirmable ? `. Look at it: warder skills trust ${name}` : ""}`],
    ),
  ];
  return all.length <= MAX_NOTES ? all : [...all.slice(0, MAX_NOTES), `and ${String(all.length - MAX_NOTES)} more skills are not offered: warder skills list`];
}
