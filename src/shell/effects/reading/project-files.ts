import { maySteer, PROJECTS, type ProjectName } from "../../../programs/projects.ts";
import type { NewEffect } from "../../model/effects.ts";
import type { NamedFiles, ProjectFiles } from "../../model/model.ts";
import type { Collector } from "./collector.ts";
import { literalPath } from "../operands/paths.ts";

/** Below more directories than these nobody looks for what steers a program. */
const MAX_DEPTH = 24;

/**
 * Where the files of a kind of project would lie: in the directory where it begins, and above. Those whose known text steers nothing are not
 * among them. Undefined: nobody can tell.
 */
function projectFiles(to: Collector, project: ProjectName, directory: string): ProjectFiles | undefined {
  const start = literalPath(directory, to.paths);
  if (start.kind !== "literal") return undefined;
  const places = upwards(start.path);
  if (places.length > MAX_DEPTH) return undefined;
  const [files, homeFiles]: [string[], string[]] = [[], []];
  for (const place of places) {
    for (const { name, steers } of PROJECTS[project]) {
      const path = `${place}/${name}`;
      if (steers !== null) to.needs.push(path);
      const text = to.texts.get(path);
      if (typeof text !== "string" || maySteer(steers, text)) (place === to.home ? homeFiles : files).push(path);
    }
  }
  return { kind: "files", directory: start.path, files, homeFiles };
}

function namedFiles(to: Collector, beginning: string): NamedFiles | undefined {
  const start = literalPath(".", to.paths);
  return start.kind === "literal" ? { kind: "named-files", directory: start.path, beginning } : undefined;
}

/** Records an effect that comes about through the files of a kind of project alone, which begins in a directory. */
export function addThrough(to: Collector, project: ProjectName, effect: NewEffect, directory = "."): void {
  const [{ name }] = PROJECTS[project];
  const through = name.endsWith("*") ? namedFiles(to, name.slice(0, -1)) : projectFiles(to, project, directory);
  to.effects.push(through === undefined ? effect : { ...effect, through });
}

/** The directory and all above it, without a slash at the end: the root is empty. */
function upwards(directory: string): readonly string[] {
  const places: string[] = [];
  for (let place = directory.replace(/\/$/, ""); place !== ""; place = place.slice(0, place.lastIndexOf("/"))) places.push(place);
  return [...places, ""];
}
