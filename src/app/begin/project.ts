import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CI_FILES, PROJECT_KINDS, type ProjectKind } from "./project-kinds.ts";

/** What stands in a project's folder, as far as a first policy needs it. */
export type Project = {
  /** As a policy's name may be written. */
  readonly name: string;
  readonly kinds: readonly ProjectKind[];
  readonly lockFiles: readonly string[];
  readonly ci: readonly string[];
  /** One for each kind that has any, in the order of the table; the first is the one that proves the policy. */
  readonly tests: readonly string[];
  /** Folders that a package client filled on this machine. */
  readonly filled: readonly string[];
  /** The first kind that needs more than Warder's image has; null when none does. */
  readonly needsImage: ProjectKind | null;
};

const MAX_READ_BYTES = 1024 * 1024;

/** Looks at the folder itself and nothing below it; runs nothing and follows no link. */
export function readProject(workspace: string): Project {
  const isThere = (name: string): boolean => lstatSync(join(workspace, name), { throwIfNoEntry: false }) !== undefined;
  const holds = ({ file, has }: { readonly file: string; readonly has: RegExp }): boolean => has.test(textOf(join(workspace, file)));
  const kinds = PROJECT_KINDS.filter(({ markers, unless = [] }) => markers.some(isThere) && !unless.some(isThere));
  const tests = kinds.flatMap((kind) => kind.tests.find(({ when }) => when === undefined || holds(when))?.command ?? []);
  const needs = ({ image }: ProjectKind): boolean => image.kind === "dockerfile" || (image.kind === "install" && holds(image.when));
  return {
    name: nameOf(workspace),
    kinds,
    lockFiles: kinds.flatMap(({ lockFiles }) => lockFiles.filter(isThere)),
    ci: CI_FILES.filter(isThere),
    tests: [...new Set(tests)],
    filled: [...new Set(kinds.flatMap(({ filled }) => filled.filter(isThere)))],
    needsImage: kinds.find(needs) ?? null,
  };
}

function textOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= MAX_READ_BYTES ? readFileSync(path, "utf8") : "";
}

function nameOf(workspace: string): string {
  const name = basename(workspace)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^[^a-z]+|-+$/gu, "")
    .slice(0, 40);
  return name === "" ? "project" : name;
}
