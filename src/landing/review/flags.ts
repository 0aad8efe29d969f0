import type { Stats } from "node:fs";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { conflictReason, mountReason, ownReason } from "../files/kept.ts";
import { linkReason } from "../files/symlinks.ts";
import { readBytes } from "../../sandbox/workspace/files/content.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import type { FoundSecrets, SecretScan } from "../../sandbox/workspace/files/secret-scan.ts";
import { type DirectoryFd, linkTarget, statEntry } from "../../sandbox/workspace/files/tree.ts";
import { type Known, knownAt, knownBelow } from "../mechanisms/mechanisms.ts";
import { bareRepositoryReason } from "../git/bare.ts";
import { repositoryOf, repositoryReason } from "../../sandbox/workspace/repository/paths.ts";
import type { Manifest } from "../../sandbox/workspace/scan/manifest.ts";
import { type Content, contentFlags, contentOf } from "./content.ts";
import { type Aliases, MAX_ALIASES } from "./links.ts";
import { notesOf } from "./notes.ts";
import { changedScripts, isManifest } from "../mechanisms/package-scripts.ts";
import { doubtAt, isInterpreted } from "./plain.ts";
import { byRank, type Flag, type FlaggedChange } from "./ranks.ts";

/** What changes are judged against. */
export type Ground = {
  readonly workspace: string;
  readonly layers: Layers;
  readonly secrets: SecretScan;
  /** What the workspace was at the start; null where that is lost, and then nothing lands. */
  readonly manifest: Manifest | null;
  readonly aliases: Aliases;
  /** Relative paths below the workspace on which something else is mounted. */
  readonly mounts: readonly string[];
  /** The workspace's. */
  readonly owner: number;
  /** Whether a directory, by its relative path, is the top of a project. */
  readonly isTop: (directory: string) => boolean;
};

/** Shorter files are read, holes and all. */
const MIN_SPARSE_BYTES = 8 * 1024 * 1024;
/** Of `stat`, whatever the file system. */
const BLOCK_BYTES = 512;

const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The change with what it does to programs and secrets of the host once it lands; what cannot be looked at is flagged as that, so that one change never keeps a person from all others. */
export function flagged(change: Change, ground: Ground): FlaggedChange {
  try {
    const was = statEntry(ground.layers.lower, change.path);
    const notes = notesOf(change, was, ground.owner);
    return { ...change, flags: flagsOf(change, was, ground), ...(notes.length === 0 ? {} : { notes }) };
  } catch (error) {
    return { ...change, flags: [unreadFlag(error)] };
  }
}

/** Why a change lands only when its path is named, or null. */
export function holdingReason(change: Change, { layers, secrets }: Pick<Ground, "layers" | "secrets">): string | null {
  if (change.kind === "deleted" || change.kind === "mode") return null;
  try {
    const content = change.type === "file" ? contentOf(layers.upper, change.path) : null;
    const [sparse] = sparseFlags(content);
    const found = sparse ?? secretFlags(change, content, { layers, secrets })[0];
    return found?.reason ?? null;
  } catch (error) {
    return unreadFlag(error).reason;
  }
}

function unreadFlag(error: unknown): Flag {
  if (!(error instanceof Error)) throw error;
  return { kind: "unread", reason: `It cannot be looked at (${error.message}): it lands only when its path is named.` };
}

function flagsOf(change: Change, was: Stats | null, ground: Ground): readonly Flag[] {
  const { layers } = ground;
  const steering = change.kind === "deleted" ? null : (repositoryReason(change) ?? bareRepositoryReason(change, layers));
  if (steering !== null) return [{ kind: "repository", reason: steering }];
  const flags = [...keptFlags(change, was, ground)];
  if (change.kind === "deleted") return [...flags, ...deletionFlags(change, ground)].toSorted(byRank);
  const isWritten = change.type === "file" && change.kind !== "mode";
  const content = isWritten ? contentOf(layers.upper, change.path) : null;
  const sparse = sparseFlags(content);
  flags.push(...placeFlags(change, content, ground), ...modeFlags(change, was), ...linkFlags(change, ground));
  flags.push(...(sparse.length > 0 ? sparse : secretFlags(change, content, ground)));
  if (content !== null && sparse.length === 0 && repositoryOf(change.path) === null)
    flags.push(...contentFlags(content, () => (change.kind === "added" ? null : contentOf(layers.lower, change.path))));
  return flags.toSorted(byRank);
}

/** What keeps the file that is there. */
function keptFlags(change: Change, was: Stats | null, { manifest, mounts, owner }: Ground): readonly Flag[] {
  // git lands a repository's own files, and says itself what stands in the way.
  if (repositoryOf(change.path) !== null) return [];
  const conflict = manifest === null ? null : conflictReason(change.path, was, manifest);
  const mount = mountReason(change.path, mounts);
  const own = conflict === null ? ownReason(change, was, owner) : null;
  return [
    ...(conflict === null ? [] : [{ kind: "conflict", reason: conflict }]),
    ...(mount === null ? [] : [{ kind: "mount", reason: mount }]),
    ...(own === null ? [] : [own]),
  ];
}

/** What programs know of a path, or of one that a link gives it. */
function knownFlag(path: string, { aliases }: Ground, isTree: boolean): { readonly known: Known; readonly flag: Flag } | null {
  const also = repositoryOf(path) === null ? aliases(path) : [];
  for (const each of [path, ...also]) {
    const [known] = [knownAt(each), isTree ? knownBelow(each) : null].filter((found) => found !== null).toSorted(byRank);
    if (known === undefined) continue;
    const way = each === path ? "" : `A link gives it the name ${makeVisibleLine(each)}. `;
    return { known, flag: { kind: known.kind, reason: `${way}${known.because} (${known.programs})` } };
  }
  return null;
}

/** With a file goes what it kept from happening: a check, a rule, a list of what is not published. */
function deletionFlags({ path, type }: Change, ground: Ground): readonly Flag[] {
  if (type === "directory" || repositoryOf(path) !== null) return [];
  const found = knownFlag(path, ground, type === "link");
  if (found === null || found.known.kind === "foreign-code") return [];
  return [{ kind: found.flag.kind, reason: `It is deleted, with what it kept from happening. ${found.flag.reason}` }];
}

function placeFlags(change: Change, content: Content | null, ground: Ground): readonly Flag[] {
  const { path, type, kind } = change;
  if (type === "directory") return [];
  if (type === "other") return [{ kind: "special-file", reason: "It is a device, a pipe or a socket, which never lands." }];
  const { layers } = ground;
  if (repositoryOf(path) !== null) return [];
  const flags = [...nameFlags(path, ground, type === "link")];
  flags.push(
    ...fileFlags(path, {
      before: () => textOf(layers.lower, path),
      after: () => content?.bytes?.toString() ?? textOf(layers.upper, path),
      isChanged: kind !== "mode",
    }),
  );
  // Of a package's manifest it was looked at what changed.
  if (flags.length > 0 || type === "link" || (kind !== "mode" && isManifest(nameOf(change).toLowerCase()))) return flags;
  const doubt = doubtAt(path, ground.isTop);
  // What is executable is shown as that.
  if (doubt !== null) return doubt.kind === "unknown-kind" && (change.mode & 0o111) !== 0 ? [] : [doubt];
  const beginsAsScript = content?.bytes?.subarray(0, 2).toString("latin1") === "#!" && !isInterpreted(path);
  return beginsAsScript ? [{ kind: "script", reason: "It begins as a script (#!), and is not named as one." }] : [];
}

function nameFlags(path: string, ground: Ground, isTree: boolean): readonly Flag[] {
  const name = nameOf({ path }).toLowerCase();
  // Without a driver, attributes only say how text is treated; what its parts are is looked at instead.
  if (isManifest(name) && !isTree) return [];
  const found = knownFlag(path, ground, isTree);
  if (found !== null) return [found.flag];
  return ground.aliases(path).length < MAX_ALIASES ? [] : [{ kind: "symlink", reason: "More links lead to it than are looked at." }];
}

type FileText = { readonly before: () => string | null; readonly after: () => string | null; readonly isChanged: boolean };

/** What programs of the host do with a file of such a path and content; commits are looked at the same way. */
export function flagsByName(path: string, text: FileText): readonly Flag[] {
  const isPackage = isManifest(nameOf({ path }).toLowerCase());
  const known = isPackage ? null : knownAt(path);
  const flags = [...(known === null ? [] : [{ kind: known.kind, reason: `${known.because} (${known.programs})` }]), ...fileFlags(path, text)];
  if (flags.length > 0 || isPackage) return flags.toSorted(byRank);
  const doubt = doubtAt(path, (directory) => directory === "");
  return doubt === null ? [] : [doubt];
}

function fileFlags(path: string, { before, after, isChanged }: FileText): readonly Flag[] {
  const name = nameOf({ path }).toLowerCase();
  const flags: Flag[] = [];
  if (name === ".gitattributes") flags.push(...attributeFlags(after()));
  const scripts = isChanged && isManifest(name) ? changedScripts(name, before(), after()) : null;
  if (scripts !== null) flags.push({ kind: "package-script", reason: scripts });
  return flags;
}

function attributeFlags(text: string | null): readonly Flag[] {
  const isPlain = text !== null && !/(?:^|\s)(?:filter|diff|merge|textconv)=/mu.test(text);
  return isPlain ? [] : [{ kind: "git-attributes", reason: "It names filters, diff or merge drivers: programs that git runs on checkout, add or diff." }];
}

function modeFlags(change: Change, was: Stats | null): readonly Flag[] {
  const flags: Flag[] = [];
  if (change.type === "link" || change.type === "other") return flags;
  const before = was === null || was.isSymbolicLink() ? null : was;
  if ((change.mode & 0o002) !== 0 && ((before?.mode ?? 0) & 0o002) === 0)
    flags.push({ kind: "world-writable", reason: "Everybody on the machine may change it." });
  else if (before !== null && (change.mode & ~before.mode & 0o066) !== 0 && before.isFile() === (change.type === "file"))
    flags.push({ kind: "wider-mode", reason: "More people may read or change it than before." });
  if (change.type !== "file") return flags;
  const wasExecutable = before !== null && before.isFile() && (before.mode & 0o111) !== 0;
  if ((change.mode & 0o111) !== 0)
    flags.push(
      wasExecutable
        ? { kind: "changed-program", reason: "It is a program that was there: whoever starts it runs what the run wrote." }
        : { kind: "executable", reason: "It is a new program: whoever starts it runs what the run wrote." },
    );
  if ((change.mode & 0o6000) !== 0) flags.push({ kind: "set-id", reason: "It would run as its owner or group; these bits do not land." });
  return flags;
}

function linkFlags(change: Change, { workspace, layers }: Ground): readonly Flag[] {
  const target = change.type === "link" ? linkTarget(layers.upper, change.path) : null;
  if (target === null || repositoryOf(change.path) !== null) return [];
  const reason = linkReason(workspace, change.path, target, () => null);
  if (reason !== null) return [{ kind: "link", reason: `${reason} (${makeVisibleLine(target)})` }];
  return [{ kind: "symlink", reason: "It is a link: whoever opens it works on another file or directory." }];
}

/** A run's quota bounds what its files hold, not how long they say they are: holes cost a command nothing, and who reads them hours. */
function sparseFlags(content: Content | null): readonly Flag[] {
  const { size, blocks } = content?.stats ?? { size: 0, blocks: 0 };
  if (size < MIN_SPARSE_BYTES || blocks * BLOCK_BYTES >= size / 2) return [];
  const long = `${String(Math.floor(size / 1024 ** 2))} MiB`;
  return [{ kind: "sparse", reason: `It is ${long} long and mostly a hole, and was not looked through: it lands only when its path is named.` }];
}

/** Only what was not in the workspace before. */
function secretFlags(change: Change, content: Content | null, { layers, secrets }: Pick<Ground, "layers" | "secrets">): readonly Flag[] {
  if (change.kind === "mode") return [];
  const known = new Set<string>();
  const names = new Set<string>();
  const compare = (after: FoundSecrets, before: () => FoundSecrets): void => {
    if (after.size > 0) for (const key of before().keys()) known.add(key);
    for (const [key, name] of after) if (!known.has(key)) names.add(name);
  };
  if (change.kind === "added") compare(secrets.text(nameOf(change)), () => new Map());
  const linkText = (root: DirectoryFd): string => (change.type === "link" ? (linkTarget(root, change.path) ?? "") : "");
  compare(secrets.text(linkText(layers.upper)), () => secrets.text(linkText(layers.lower)));
  if (content !== null)
    compare(content.bytes === null ? secrets.file(layers.upper, change.path) : secrets.bytes(content.bytes), () => secrets.file(layers.lower, change.path));
  return names.size === 0 ? [] : [{ kind: "secret", reason: `It holds ${[...names].join(", ")}: it lands only when its path is named.` }];
}

function nameOf({ path }: Pick<Change, "path">): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Null when there is none, and when it is too large: a beginning says nothing of the rest. */
function textOf(root: DirectoryFd, path: string): string | null {
  const bytes = readBytes(root, path, MAX_TEXT_BYTES + 1);
  return bytes === null || bytes.byteLength > MAX_TEXT_BYTES ? null : Buffer.from(bytes).toString();
}
