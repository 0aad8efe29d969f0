import { appendAudit } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { readSettings } from "../../config/settings-file.ts";
import { readSkillPins, readSkillTexts, removeSkillPin, type SkillTexts, writeSkillPin } from "../../config/state/skill-pins.ts";
import type { SkillFolder } from "../../config/skills/folder.ts";
import type { Records } from "../records/records.ts";
import { agentsPlaces, findSkills, type FoundSkill, type Skills } from "./find.ts";

/** All skills in the roots that the settings name. */
export function namedSkills({ store }: Records): Skills {
  const { directory } = store.paths;
  const settings = readSettings(directory);
  return findSkills(directory, settings.skills, agentsPlaces(directory, settings));
}

/** A skill that a person looks at. `before`: its texts when it was last confirmed; null: it never was. */
export type SeenSkill = FoundSkill & { readonly read: { readonly description: string; readonly folder: SkillFolder }; readonly before: SkillTexts | null };

/** Throws `usage` for a name that no folder has, and for a folder that is no skill. */
export function lookAtSkill(records: Records, name: string): SeenSkill {
  const { found, refused } = namedSkills(records);
  const skill = found.find((each) => each.name === name);
  if (skill === undefined)
    throw new AgentError("usage", `The roots that your settings name hold no skill ${JSON.stringify(name)}.`, {
      remedy:
        refused.length === 0 ? "See docs/guides/skills.md, and: warder skills list" : refused.map(({ root, problem }) => `${root}: ${problem}.`).join(" "),
    });
  const { read, problem, isConfirmable } = skill;
  if (read === null || (problem !== null && !isConfirmable))
    throw new AgentError("usage", `${skill.directory} cannot be used as a skill: ${problem ?? "it cannot be read"}.`, { remedy: "See docs/guides/skills.md." });
  return { ...skill, read, before: skill.pin === null ? null : readSkillTexts(records.store.paths.directory, name) };
}

/** Keeps what a person confirmed: the folder as it was read when it was shown. Recorded before it counts. */
export function confirmSkill({ store, audit }: Records, { name, directory, read: { folder } }: SeenSkill, by: string): void {
  const state = store.paths.directory;
  const files = folder.files.map(({ path, sha256 }) => ({ path, sha256 }));
  appendAudit(audit, { run: null, payload: { kind: "skill-trusted", skill: name, directory, digest: folder.digest, files: files.length, by } });
  store.exclusively(() => {
    const pin = { name, directory, digest: folder.digest, files, by, confirmedAt: new Date(systemClock.nowMs()).toISOString() };
    writeSkillPin(state, pin, Object.fromEntries(folder.files.map(({ path, text }) => [path, text])));
  });
}

/** Takes a confirmation back. Throws `usage` where there is none. */
export function removeSkill({ store, audit }: Records, name: string, by: string): void {
  const state = store.paths.directory;
  const pin = readSkillPins(state).find((each) => each.name === name);
  if (pin === undefined) throw new AgentError("usage", `No skill ${JSON.stringify(name)} is confirmed.`, { remedy: "See: warder skills list" });
  appendAudit(audit, { run: null, payload: { kind: "skill-removed", skill: name, digest: pin.digest, by } });
  store.exclusively(() => {
    removeSkillPin(state, pin.name);
  });
}
