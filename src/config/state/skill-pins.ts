import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readStateRecord, writeStateRecord } from "./record.ts";

const pin = z.strictObject({
  name: z.string(),
  directory: z.string(),
  digest: z.string(),
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string() })),
  by: z.string(),
  confirmedAt: z.string(),
});
const shape = z.strictObject({ version: z.literal(1), skills: z.array(pin) });
const texts = z.strictObject({ version: z.literal(1), texts: z.record(z.string(), z.string().nullable()) });

const WORDS = { of: "confirmed skills", again: "confirm your skills anew" };

/** A skill as a person confirmed it: its folder by real path, and the digest of each file and of all together. */
export type SkillPin = z.output<typeof pin>;

/** The texts of a skill's files when it was confirmed, by path; null for a file that was no text. They are what a later difference is told against. */
export type SkillTexts = Readonly<Record<string, string | null>>;

/** What people confirmed, in `skills.json` of the state directory. Throws `bad-configuration` for a file that cannot be understood. */
export function readSkillPins(stateDirectory: string): readonly SkillPin[] {
  return readStateRecord(join(stateDirectory, "skills.json"), shape, WORDS)?.skills ?? [];
}

/** Throws as {@link readSkillPins} does. */
export function readSkillTexts(stateDirectory: string, name: string): SkillTexts {
  return readStateRecord(textsPath(stateDirectory, name), texts, WORDS)?.texts ?? {};
}

/** Puts one in the place of what was confirmed by its name. Two processes must not do it at once (`Store.exclusively`). */
export function writeSkillPin(stateDirectory: string, made: SkillPin, itsTexts: SkillTexts): void {
  writeStateRecord(textsPath(stateDirectory, made.name), { version: 1, texts: itsTexts });
  write(stateDirectory, [...others(stateDirectory, made.name), made]);
}

export function removeSkillPin(stateDirectory: string, name: string): void {
  write(stateDirectory, others(stateDirectory, name));
  rmSync(textsPath(stateDirectory, name), { force: true });
}

const others = (stateDirectory: string, name: string): readonly SkillPin[] => readSkillPins(stateDirectory).filter((each) => each.name !== name);

function write(stateDirectory: string, skills: readonly SkillPin[]): void {
  writeStateRecord(join(stateDirectory, "skills.json"), { version: 1, skills: skills.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
}

const textsPath = (stateDirectory: string, name: string): string => join(stateDirectory, "skills", `${name}.json`);
