import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findSkills } from "../../../src/app/skills/find.ts";
import { skillsOfRun, type SkillsOfRun } from "../../../src/app/skills/of-run.ts";
import { writeSkillPin } from "../../../src/config/state/skill-pins.ts";
import { settingsIn } from "../../../src/config/settings.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import type { WorkspaceContext } from "../../../src/app/setup/context.ts";

/** The text of a `SKILL.md`. */
export const skillText = (name: string, description = "Greets.", body = "Say hello.\n"): string =>
  `---\nname: ${name}\ndescription: ${description}\nallowed-tools: shell\n---\n${body}`;

export type SkillFolders = {
  readonly root: string;
  readonly state: string;
  readonly workspace: string;
  /** Makes files of a skill's folder, by path. */
  readonly make: (name: string, files?: Readonly<Record<string, string | Buffer>>) => string;
  /** Why each folder is not offered, by name; null: it is. */
  readonly problems: (places?: readonly string[], roots?: readonly string[]) => Readonly<Record<string, string | null>>;
  /** Confirms it as it is now. */
  readonly pin: (name: string) => void;
  /** `more`: further settings; `writable`: what its policy lets the run write beside its workspace. */
  readonly ofRun: (more?: string, writable?: string) => SkillsOfRun;
};

/** A root of skills, a state directory and a workspace. */
export function skillFolders(): SkillFolders {
  const here = realpathSync(temporaryDirectory());
  const [root, state, workspace] = [join(here, "skills"), join(here, "state"), join(here, "workspace")];
  for (const path of [root, state, workspace]) mkdirSync(path, { mode: 0o700 });
  const find = (places: readonly string[], roots: readonly string[]) => findSkills(state, roots, places);
  return {
    root,
    state,
    workspace,
    make: (name, files = {}) => {
      const folder = join(root, name);
      for (const [path, text] of Object.entries({ "SKILL.md": skillText(name), ...files })) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      return folder;
    },
    problems: (places = [workspace], roots = [root]) => {
      const { found, refused } = find(places, roots);
      return Object.fromEntries([...found.map(({ name, problem }) => [name, problem] as const), ...refused.map((each) => [each.root, each.problem] as const)]);
    },
    pin: (name) => {
      const skill = find([], [root]).found.find((each) => each.name === name);
      if (skill?.read === undefined || skill.read === null) throw new Error(`There is no skill ${name}: ${skill?.problem ?? ""}`);
      const { digest, files } = skill.read.folder;
      const kept = files.map(({ path, sha256 }) => ({ path, sha256 }));
      writeSkillPin(state, { name, directory: skill.directory, digest, files: kept, by: "ann", confirmedAt: "2026-01-02" }, {});
    },
    ofRun: (more = "", writable) => {
      const roots = writable === undefined ? [] : [{ path: writable, access: "read-write" }];
      const context = { workspace, policy: { workspace: { roots } } } as unknown as WorkspaceContext;
      return skillsOfRun(state, settingsIn("settings.yaml", `version: 1\nskills: [${root}]\n${more}`), context);
    },
  };
}
