import { isUtf8 } from "node:buffer";
import { createTwoFilesPatch } from "diff";
import { makeVisibleLine } from "../../base/text.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import { type DirectoryFd, linkTarget } from "../../sandbox/workspace/files/tree.ts";
import { type WorkspaceRecord, workspacePaths } from "../../sandbox/workspace/record.ts";
import { loadBeginnings } from "../../sandbox/workspace/repository/beginnings.ts";
import { begunContents } from "../../sandbox/workspace/repository/begun-files.ts";
import { repositoryOf, repositoryReason } from "../../sandbox/workspace/repository/paths.ts";
import { contentOf, isText, MAX_SHOWN_BYTES, textNotes } from "./content.ts";
import { manifestIn } from "./ground.ts";
import { type FlaggedChange, rankOfChange, type RefNote } from "./ranks.ts";

const MAX_COMPARE_MS = 2000;
/** Of all files together: a run can make many that take the most. */
const MAX_DIFF_MS = 10_000;
/** What has more bytes that no text has is shown to nobody's use. */
const MAX_ODD_SHARE = 0.1;

/** How a line begins that says why the change after it wants a look; `patch` and git skip it. */
export const FLAG_MARK = "! ";

/**
 * What a diff is made of. `begun`: what files that somebody changed since held when the run began, as far as that is known; null: there was none. `hidden`:
 * paths that the policy hid from the run, of which nothing is shown.
 */
type Compared = Layers & { readonly begun?: ReadonlyMap<string, Buffer | null>; readonly hidden?: readonly string[] };

/** What those of a run's changes began from that are in conflict with somebody's own. */
export async function begunIn(runDirectory: string, { workspace, repository: linked }: WorkspaceRecord, changes: readonly FlaggedChange[]) {
  const paths = changes.filter((change) => change.type === "file" && isTheirs(change)).map(({ path }) => path);
  const { manifest: file, beginnings, indexes } = workspacePaths(runDirectory);
  const manifest = paths.length === 0 ? null : manifestIn(file);
  if (manifest === null) return new Map<string, Buffer | null>();
  return begunContents({ workspace, linked, manifest, beginnings: loadBeginnings(beginnings), indexes, maxBytes: MAX_SHOWN_BYTES }, paths);
}

/** Somebody changed it since the run began, too. */
function isTheirs({ flags }: Pick<FlaggedChange, "flags">): boolean {
  return flags.some(({ kind }) => kind === "conflict");
}

/** How a line begins that shows what somebody else than the run changed. */
const THEIR_MARK = "| ";

/** The changes as a unified diff, at most `maxBytes` of UTF-8, the worst first; says how many changes were left out, and names those of them that are flagged. */
export function diffChanges(changes: readonly FlaggedChange[], layers: Compared, maxBytes: number, maxMs = MAX_DIFF_MS): string {
  const until = performance.now() + maxMs;
  // A commit's objects and index are nothing that a person reads; what steers git stays in full view.
  const isData = (change: FlaggedChange): boolean =>
    repositoryOf(change.path) !== null && repositoryReason(change) === null && change.flags.length === 0 && change.refs === undefined;
  const shown = changes.filter((change) => !isData(change)).toSorted((one, other) => rankOfChange(one) - rankOfChange(other));
  const parts: string[] =
    shown.length === changes.length ? [] : [`(${String(changes.length - shown.length)} changes are commits, refs and the index of git.)\n`];
  const said = new Set<string>();
  let total = 0;
  for (const [index, change] of shown.entries()) {
    const flags = flagLines(change, said);
    const part = flags + diffOf(change, layers, until);
    total += Buffer.byteLength(part);
    if (total > maxBytes) return parts.join("") + restOf(shown.slice(index), said, maxBytes);
    parts.push(part);
  }
  return parts.join("");
}

/** What a person reads of a ref that moves. */
export function refLines({ summary, commits, files }: RefNote): readonly string[] {
  return [summary, ...commits, ...files];
}

/** Each reason stands in full once. */
function flagLines(change: FlaggedChange, said: Set<string>): string {
  const lines = change.flags.map(({ kind, reason }) => {
    const isSaid = said.has(`${kind}\0${reason}`);
    said.add(`${kind}\0${reason}`);
    return `${FLAG_MARK}${makeVisibleLine(change.path)}: ${isSaid ? `${kind}, as above` : reason}\n`;
  });
  return lines.join("");
}

/** What is not shown: by name where it is flagged, as far as as much again has room. */
function restOf(rest: readonly FlaggedChange[], said: Set<string>, maxBytes: number): string {
  const lines: string[] = [];
  let total = 0;
  for (const change of rest) {
    if (change.flags.length === 0 || total > maxBytes) break;
    const line = `${flagLines(change, said)}${makeVisibleLine(change.path)}: ${change.kind}, not shown: the diff is too long; name it to see it\n`;
    total += Buffer.byteLength(line);
    lines.push(line);
  }
  return `${lines.join("")}(${String(rest.length)} more changes are not shown.)\n`;
}

function diffOf(change: FlaggedChange, layers: Compared, until: number): string {
  const name = makeVisibleLine(change.path);
  if (repositoryOf(change.path) !== null && repositoryReason(change) === null)
    return (change.refs ?? []).map((ref) => `${refLines(ref).join("\n    ")}\n`).join("");
  const notes = (change.notes ?? []).map((note) => `${name}: ${note}\n`).join("");
  if (change.kind === "mode") return notes === "" ? `${name}: mode ${(change.mode & 0o777).toString(8)}\n` : notes;
  if (change.type === "directory") return `${notes}${name}/: ${change.kind}\n`;
  if (change.type === "other") return `${notes}${name}: ${change.kind}, a special file\n`;
  const leftMs = until - performance.now();
  if (leftMs <= 0)
    return `${notes}${name}: ${change.kind}, not compared: the files before it took all the time of a diff; name it to see it (${String(change.size)} bytes)\n`;
  return notes + patchOf(change, layers, Math.min(MAX_COMPARE_MS, leftMs));
}

function patchOf(change: FlaggedChange, layers: Compared, timeout: number): string {
  const name = makeVisibleLine(change.path);
  const isHidden = layers.hidden?.some((path) => change.path === path || change.path.startsWith(`${path}/`)) === true;
  const isConflict = isTheirs(change) && !isHidden;
  const begun = isConflict ? layers.begun?.get(change.path) : undefined;
  const now = textOf(layers.lower, change.path);
  const before = begun === undefined ? (change.kind === "added" ? EMPTY : now) : begun === null ? EMPTY : shownOf(begun);
  const after = change.kind === "deleted" ? EMPTY : textOf(layers.upper, change.path);
  const theirs = isConflict ? theirLines(name, { before, now, after, isBegun: begun !== undefined }) : "";
  if (before === null || after === null) return `${name}: ${change.kind}, no text, closed, or too large to show (${String(change.size)} bytes)\n${theirs}`;
  const isNew = begun === undefined ? change.kind === "added" : begun === null;
  const patch = createTwoFilesPatch(
    isNew ? "/dev/null" : `a/${name}`,
    change.kind === "deleted" ? "/dev/null" : `b/${name}`,
    before.text,
    after.text,
    !isConflict || isNew ? undefined : begun === undefined ? "as it is here now: lines with - may be yours" : "when the run began",
    isConflict ? "the run's" : undefined,
    { context: 3, timeout },
  );
  const notes = [...(before.isOdd || after.isOdd ? ["bytes that no text has are shown as \\xNN"] : []), ...textNotes(before.bytes, after.bytes)];
  const said = notes.map((note) => `${name}: ${note}\n`).join("");
  if (patch === undefined) return `${said}${name}: ${change.kind}, too different to show (${String(change.size)} bytes)\n${theirs}`;
  // The library starts with a line of "=", which `patch` and people do without.
  const text = patch.replace(/^=+\n/, "");
  // An empty file has no line to show.
  return (text.includes("\n@@") ? said + text : `${said}${name}: ${change.kind}, empty\n`) + theirs;
}

type Sides = { readonly before: Shown | null; readonly now: Shown | null; readonly after: Shown | null; readonly isBegun: boolean };

/** What somebody else than the run did to a file since it began, told apart by how each line begins. */
function theirLines(name: string, { before, now, after, isBegun }: Sides): string {
  if (!isBegun) return `${name}: what it held when the run began is not known\n`;
  if (before === null || now === null) return `${name}: changed here since the run began, not by the run; that cannot be shown\n`;
  if (now === EMPTY) return `${name}: removed here since the run began, not by the run\n`;
  if (now.text === after?.text) return `${name}: the same was done here since the run began, not by the run\n`;
  const patch = createTwoFilesPatch("", "", before.text, now.text, undefined, undefined, { context: 3, timeout: MAX_COMPARE_MS });
  const lines =
    patch === undefined
      ? []
      : patch
          .slice(Math.max(0, patch.indexOf("@@")))
          .trimEnd()
          .split("\n");
  const isShown = lines[0]?.startsWith("@@") === true;
  return [
    `${name}: changed here since the run began, not by the run${isShown ? ":" : ""}`,
    ...(isShown ? lines.map((line) => `${THEIR_MARK}${line}`) : []),
    "",
  ].join("\n");
}

type Shown = { readonly text: string; readonly bytes: Buffer | null; /** Bytes are written in another way than they are. */ readonly isOdd: boolean };
const EMPTY: Shown = { text: "", bytes: null, isOdd: false };

/** What a person reads of a file or a link; null for what is no text. Somebody may have removed it meanwhile. */
function textOf(root: DirectoryFd, path: string): Shown | null {
  try {
    const target = linkTarget(root, path);
    if (target !== null) return { text: `link to ${makeVisibleLine(target)}\n`, bytes: null, isOdd: false };
    const content = contentOf(root, path);
    if (content === null) return EMPTY;
    return content.bytes === null ? null : shownOf(content.bytes);
  } catch (error) {
    // Without root nothing that may be read.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return null;
    throw error;
  }
}

function shownOf(bytes: Buffer): Shown | null {
  if (isText(bytes)) return { text: bytes.toString(), bytes, isOdd: false };
  const { text, odd } = escaped(bytes);
  return odd > bytes.length * MAX_ODD_SHARE ? null : { text, bytes, isOdd: true };
}

/** Lines that are no UTF-8 with their bytes written out, and control characters everywhere; and how many these are. */
function escaped(bytes: Buffer): { readonly text: string; readonly odd: number } {
  let odd = 0;
  const hex = (character: string): string => {
    odd += 1;
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  };
  const lines = bytes
    .toString("latin1")
    .split("\n")
    .map((line) => {
      const raw = Buffer.from(line, "latin1");
      return isUtf8(raw) ? raw.toString() : line.replaceAll(/[\u0080-\u00ff]/gu, hex);
    });
  return { text: lines.join("\n").replaceAll(CONTROL, hex), odd };
}

const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/gu;
