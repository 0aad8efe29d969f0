import { readdirSync, readFileSync } from "node:fs";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import type { CommandAnalysis } from "../../../src/shell/model/model.ts";
import { PROGRAMS as CATALOGUE } from "../../../src/programs/programs.ts";
import type { Environment } from "./execution/real-shell.ts";
import { PROGRAMS } from "./texts/vocabulary.ts";

const VECTORS = new URL("../../../test/vectors/", import.meta.url);

/** The names that stand for a stub: those that the tables know, and those that generated texts use. */
export function stubNames(): readonly string[] {
  return [...new Set([...CATALOGUE.names, ...PROGRAMS, "time", "echo", "printf", "test", "[", "true", "false", "kill", "pwd"])];
}

/** What is tested: the analysis of a text where the runner runs it. */
export function analyseCase(text: string): CommandAnalysis {
  return analyseCommand(text, { cwd: "/srv/case", home: "/home/user" });
}

/** Every environment that a text can run in, the same order always. */
export const ENVIRONMENTS: readonly Environment[] = ([0, 1] as const).flatMap((exitCode) =>
  ([0, 1, 2] as const).flatMap((output) =>
    [false, true].flatMap((isSet) => [false, true].map((hasFiles) => ({ exitCode, output, isSet, hasFiles }) satisfies Environment)),
  ),
);

/** Commands of the vectors, which mutation starts from. */
export function seedTexts(): readonly string[] {
  const texts: string[] = [];
  for (const folder of ["shell", "torture"]) {
    const names = readdirSync(new URL(`${folder}/`, VECTORS)).filter((name) => name.endsWith(".json"));
    for (const name of names.toSorted()) texts.push(...commandsIn(new URL(`${folder}/${name}`, VECTORS)));
  }
  for (const name of ["wrappers.json", "find.json"]) texts.push(...commandsIn(new URL(`programs/${name}`, VECTORS)));
  return [...new Set(texts)];
}

function commandsIn(file: URL): string[] {
  const commands: string[] = [];
  JSON.parse(readFileSync(file, "utf8"), (key: string, value: unknown) => {
    if (key === "command" && typeof value === "string" && !value.includes("\0")) commands.push(value);
    return value;
  });
  return commands;
}
