import { makeVisibleLine } from "../../../base/text.ts";
import type { Change } from "../../runtime.ts";
import { bareRepositoryReason } from "../repository/bare.ts";
import { readBytes } from "../files/content.ts";
import type { Layers } from "../files/layers.ts";
import { hostExecuted } from "./host-executed.ts";
import { linkReason } from "../changes/symlinks.ts";
import { changedScripts, isManifest } from "./package-scripts.ts";
import { repositoryReason } from "../repository/paths.ts";
import type { FoundSecrets, SecretScan } from "../files/secret-scan.ts";
import { type DirectoryFd, linkTarget, statEntry } from "../files/tree.ts";

/** Why a person should look at a change before it lands. Kinds are stable: scripts read them. */
export type Flag = { readonly kind: string; readonly reason: string };

export type FlaggedChange = Change & {
  readonly flags: readonly Flag[];
  /** Of what moves refs: what each of them named and will name, and the files in which the two differ. */
  readonly refs?: readonly RefNote[];
};

export type RefNote = { readonly summary: string; /** Lines to read; not all of many. */ readonly files: readonly string[] };

/** The kinds of flag with which a change lands only when somebody names its path. */
const HOLDING: ReadonlySet<string> = new Set(["secret", "sparse", "unread"]);

/** Shorter files are read, holes and all. */
const MIN_SPARSE_BYTES = 8 * 1024 * 1024;
/** Of `stat`, whatever the file system. */
const BLOCK_BYTES = 512;

const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** What a change does to programs and secrets of the host once it lands: nothing for what is deleted. */
export function flagsOf(change: Change, workspace: string, layers: Layers, secrets: SecretScan): readonly Flag[] {
  if (change.kind === "deleted") return [];
  const steering = repositoryReason(change) ?? bareRepositoryReason(change, layers);
  if (steering !== null) return [{ kind: "repository", reason: steering }];
  const sparse = sparseFlags(change, layers);
  const found = sparse.length > 0 ? sparse : secretFlags(change, layers, secrets);
  return [...placeFlags(change, layers), ...modeFlags(change, layers), ...linkFlags(change, workspace, layers), ...found];
}

/** The same; what cannot be looked at is flagged as that, so that one change never keeps a person from all others. */
export function flagsOrFault(...of: Parameters<typeof flagsOf>): readonly Flag[] {
  try {
    return flagsOf(...of);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [{ kind: "unread", reason: `It cannot be looked at (${error.message}): it lands only when its path is named.` }];
  }
}

/** The flag that keeps a change from landing unless its path is named, or null. */
export function holdingFlag(change: FlaggedChange): Flag | null {
  return change.flags.find((flag) => HOLDING.has(flag.kind)) ?? null;
}

function placeFlags(change: Change, layers: Layers): readonly Flag[] {
  if (change.type === "directory") return [];
  return contentFlags(change.path, {
    before: () => textOf(layers.lower, change.path),
    after: () => textOf(layers.upper, change.path),
    isChanged: change.kind !== "mode",
  });
}

type Content = { readonly before: () => string | null; readonly after: () => string | null; readonly isChanged: boolean };

/** What programs of the host do with a file of such a path and content. */
export function contentFlags(path: string, { before, after, isChanged }: Content): readonly Flag[] {
  const name = nameOf({ path }).toLowerCase();
  const flags: Flag[] = [];
  const found = hostExecuted(path);
  if (found !== null) flags.push({ kind: found.kind, reason: found.because });
  if (name === ".gitattributes") flags.push(...attributeFlags(after()));
  const scripts = isChanged && isManifest(name) ? changedScripts(name, before(), after()) : null;
  if (scripts !== null) flags.push({ kind: "package-script", reason: scripts });
  return flags;
}

/** Without a driver, attributes only say how text is treated. */
function attributeFlags(text: string | null): readonly Flag[] {
  const isPlain = text !== null && !/(?:^|\s)(?:filter|diff|merge|textconv)=/mu.test(text);
  return isPlain ? [] : [{ kind: "git-attributes", reason: "It names filters, diff or merge drivers: programs that git runs on checkout, add or diff." }];
}

function modeFlags(change: Change, layers: Layers): readonly Flag[] {
  const flags: Flag[] = [];
  const before = statEntry(layers.lower, change.path);
  const wasWritable = before !== null && !before.isSymbolicLink() && (before.mode & 0o002) !== 0;
  if (change.type !== "link" && (change.mode & 0o002) !== 0 && !wasWritable)
    flags.push({ kind: "world-writable", reason: "Everybody on the machine may change it." });
  if (change.type !== "file") return flags;
  const wasExecutable = before !== null && before.isFile() && (before.mode & 0o111) !== 0;
  if ((change.mode & 0o111) !== 0 && !wasExecutable)
    flags.push({ kind: "executable", reason: "It is a new program: whoever starts it runs what the run wrote." });
  if ((change.mode & 0o6000) !== 0) flags.push({ kind: "set-id", reason: "It would run as its owner or group; these bits do not land." });
  return flags;
}

function linkFlags(change: Change, workspace: string, layers: Layers): readonly Flag[] {
  const target = change.type === "link" ? linkTarget(layers.upper, change.path) : null;
  const reason = target === null ? null : linkReason(workspace, change.path, target, () => null);
  return reason === null ? [] : [{ kind: "link", reason: `${reason} (${makeVisibleLine(target ?? "")})` }];
}

/** A run's quota bounds what its files hold, not how long they say they are: holes cost a command nothing, and who reads them hours. */
function sparseFlags(change: Change, layers: Layers): readonly Flag[] {
  const stats = change.type === "file" && change.kind !== "mode" ? statEntry(layers.upper, change.path) : null;
  if (stats === null || stats.size < MIN_SPARSE_BYTES || stats.blocks * BLOCK_BYTES >= stats.size / 2) return [];
  const long = `${String(Math.floor(stats.size / 1024 ** 2))} MiB`;
  return [{ kind: "sparse", reason: `It is ${long} long and mostly a hole, and was not looked through: it lands only when its path is named.` }];
}

/** Only what was not in the workspace before. */
function secretFlags(change: Change, layers: Layers, secrets: SecretScan): readonly Flag[] {
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
  if (change.type === "file") compare(secrets.file(layers.upper, change.path), () => secrets.file(layers.lower, change.path));
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
