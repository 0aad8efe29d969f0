import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CI_FILES, type Found, PROJECT_KINDS, type ProjectKind } from "./project-kinds.ts";

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

/** Of files that a pattern names, so many are looked into. */
const MAX_FILES = 100;

/** Looks at the folder itself, and into those of its folders that a kind names; runs nothing and follows no link. */
export function readProject(workspace: string): Project {
  const isThere = (name: string): boolean => lstatSync(join(workspace, name), { throwIfNoEntry: false }) !== undefined;
  const holds = ({ files, has }: Found): boolean => files.flatMap((file) => named(workspace, file)).some((file) => has.test(textOf(file)));
  const kinds = PROJECT_KINDS.filter(({ markers, unless = [] }) => markers.some(isThere) && !unless.some(isThere));
  const testsOf = (kind: ProjectKind) => kind.tests.find(({ when }) => when === undefined || holds(when));
  const needs = (kind: ProjectKind): boolean => {
    const { image } = kind;
    if (image.kind !== "dockerfile") return image.kind === "install" && holds(image.when);
    return testsOf(kind)?.isIncluded !== true || image.dependencies?.some(holds) === true;
  };
  return {
    name: nameOf(workspace),
    kinds,
    lockFiles: kinds.flatMap(({ lockFiles }) => lockFiles.filter(isThere)),
    ci: CI_FILES.filter(isThere),
    tests: [...new Set(kinds.flatMap((kind) => testsOf(kind)?.command ?? []))],
    filled: [...new Set(kinds.flatMap(({ filled }) => filled.filter(isThere)))],
    needsImage: kinds.find(needs) ?? null,
  };
}

/** Files by their name or pattern; none in a folder that is a link. */
function named(workspace: string, file: string): readonly string[] {
  const name = basename(file);
  const folder = join(workspace, dirname(file));
  if (!name.includes("*")) return [join(folder, name)];
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const [start = "", end = ""] = name.split("*");
  return readdirSync(folder)
    .filter((entry) => entry.length >= start.length + end.length && entry.startsWith(start) && entry.endsWith(end))
    .toSorted()
    .slice(0, MAX_FILES)
    .map((entry) => join(folder, entry));
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
