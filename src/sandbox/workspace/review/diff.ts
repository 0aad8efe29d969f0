import { createTwoFilesPatch } from "diff";
import { makeVisibleLine } from "../../../base/text.ts";
import type { FlaggedChange } from "./flags.ts";
import type { Layers } from "../files/layers.ts";
import { readBytes } from "../files/content.ts";
import { repositoryOf, repositoryReason } from "../repository/paths.ts";
import { type DirectoryFd, linkTarget } from "../files/tree.ts";

/** Files above this are named, not shown: a person does not read them, and comparing takes long. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_COMPARE_MS = 2000;
/** Of all files together: a run can make many that take the most. */
const MAX_DIFF_MS = 10_000;

/** How a line begins that says why the change after it wants a look; `patch` and git skip it. */
export const FLAG_MARK = "! ";

/** The changes as a unified diff, at most `maxBytes` of UTF-8; says how many changes were left out. */
export function diffChanges(changes: readonly FlaggedChange[], layers: Layers, maxBytes: number, maxMs = MAX_DIFF_MS): string {
  const until = performance.now() + maxMs;
  // A commit's objects and index are nothing that a person reads; what steers git stays in full view.
  const isData = (change: FlaggedChange): boolean =>
    repositoryOf(change.path) !== null && repositoryReason(change) === null && change.flags.length === 0 && change.refs === undefined;
  const shown = changes.filter((change) => !isData(change));
  const parts: string[] =
    shown.length === changes.length ? [] : [`(${String(changes.length - shown.length)} changes are commits, refs and the index of git.)\n`];
  let total = 0;
  for (const [index, change] of shown.entries()) {
    const part = change.flags.map((flag) => `${FLAG_MARK}${makeVisibleLine(change.path)}: ${flag.reason}\n`).join("") + diffOf(change, layers, until);
    total += Buffer.byteLength(part);
    if (total > maxBytes) return `${parts.join("")}(${String(shown.length - index)} more changes are not shown.)\n`;
    parts.push(part);
  }
  return parts.join("");
}

function diffOf(change: FlaggedChange, layers: Layers, until: number): string {
  const name = makeVisibleLine(change.path);
  if (repositoryOf(change.path) !== null && repositoryReason(change) === null)
    return (change.refs ?? []).map(({ summary, files }) => `${[summary, ...files].join("\n    ")}\n`).join("");
  if (change.kind === "mode") return `${name}: mode ${change.mode.toString(8)}\n`;
  if (change.type === "directory") return `${name}/: ${change.kind}\n`;
  if (change.type === "other") return `${name}: ${change.kind}, a special file\n`;
  const leftMs = until - performance.now();
  if (leftMs <= 0)
    return `${name}: ${change.kind}, not compared: the files before it took all the time of a diff; name it to see it (${String(change.size)} bytes)\n`;
  const before = change.kind === "added" ? "" : textOf(layers.lower, change.path);
  const after = change.kind === "deleted" ? "" : textOf(layers.upper, change.path);
  if (before === null || after === null) return `${name}: ${change.kind}, no text, closed, or too large to show (${String(change.size)} bytes)\n`;
  const patch = createTwoFilesPatch(
    change.kind === "added" ? "/dev/null" : `a/${name}`,
    change.kind === "deleted" ? "/dev/null" : `b/${name}`,
    before,
    after,
    undefined,
    undefined,
    {
      context: 3,
      timeout: Math.min(MAX_COMPARE_MS, leftMs),
    },
  );
  if (patch === undefined) return `${name}: ${change.kind}, too different to show (${String(change.size)} bytes)\n`;
  // The library starts with a line of "=", which `patch` and people do without.
  return patch.replace(/^=+\n/, "");
}

function textOf(root: DirectoryFd, path: string): string | null {
  try {
    const target = linkTarget(root, path);
    if (target !== null) return `link to ${makeVisibleLine(target)}\n`;
    const bytes = readBytes(root, path, MAX_FILE_BYTES + 1);
    if (bytes === null || bytes.byteLength > MAX_FILE_BYTES || bytes.includes(0)) return null;
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    // No text; or without root nothing that may be read.
    if (error instanceof TypeError || (error as NodeJS.ErrnoException).code === "EACCES") return null;
    throw error;
  }
}
