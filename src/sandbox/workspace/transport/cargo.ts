import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import type { Cargo } from "../../mounts.ts";
import { sandboxFile } from "../../shipped-files.ts";
import { isWithin } from "../scan/roots.ts";
import { tarOf, type TarEntry } from "./tar.ts";

/** More than this is a mistake more often than a project, and is sent anew for each run. */
export const MAX_SENT_BYTES = 4 * 1024 ** 3;

/** Where the parts of a run lie in its volume. */
export const STORE_PARTS = {
  programs: "programs",
  /** Of the workspace, then of its repository. */
  upper: (at: number) => (at === 0 ? "upper" : `upper-${String(at)}`),
  work: (at: number) => (at === 0 ? "work" : `work-${String(at)}`),
  root: (index: number) => `root-${String(index)}`,
} as const;

/** Which of a run's layers lies on this root, by its number; null: it is only read. The workspace has the first, its repository, the last root, the second. */
export function layerOn({ roots, uppers }: Pick<Cargo, "roots" | "uppers">, index: number): number | null {
  const at = index === 0 ? 0 : index === roots.length - 1 ? 1 : uppers.length;
  return at < uppers.length ? at : null;
}

/**
 * The archive of a run for an engine elsewhere: the programs, an empty layer, and of each root what may be seen of it. Throws `sandbox-unavailable` when
 * that is more than {@link MAX_SENT_BYTES}, or cannot be read.
 */
export function packCargo(cargo: Cargo): AsyncGenerator<Buffer> {
  const [workspace] = cargo.roots;
  const bytes = cargo.roots.reduce((sum, { entries }) => sum + [...entries.values()].reduce((most, stats) => most + (stats.isFile() ? stats.size : 0), 0), 0);
  if (bytes > MAX_SENT_BYTES)
    throw new AgentError(
      "sandbox-unavailable",
      `${workspace?.path ?? "The workspace"} holds ${(bytes / 1024 ** 3).toFixed(1)} GiB, and an engine elsewhere is sent ${String(MAX_SENT_BYTES / 1024 ** 3)} GiB at most.`,
      { remedy: "Name what no run needs below `files.forbidden` in the policy, use a smaller workspace, or an engine on this machine." },
    );
  return tarOf(entriesOf(cargo));
}

function* entriesOf(cargo: Cargo): Generator<TarEntry> {
  const root = { uid: 0, gid: 0 };
  yield { ...root, type: "directory", path: STORE_PARTS.programs, mode: 0o755 };
  for (const name of ["supervisor", "host"] as const) {
    const source = sandboxFile(`build/warder-${name}`);
    yield { ...root, type: "file", path: `${STORE_PARTS.programs}/${name}`, mode: 0o755, size: statSync(source).size, source };
  }
  if (cargo.hooks !== null) {
    yield { ...root, type: "directory", path: `${STORE_PARTS.programs}/hooks`, mode: 0o755 };
    for (const name of readdirSync(cargo.hooks)) {
      const source = `${cargo.hooks}/${name}`;
      yield { ...root, type: "file", path: `${STORE_PARTS.programs}/hooks/${name}`, mode: 0o755, size: statSync(source).size, source };
    }
  }
  for (const [index, { path }] of cargo.roots.entries()) {
    const at = layerOn(cargo, index);
    if (at === null) continue;
    yield { ...cargo.user, type: "directory", path: STORE_PARTS.upper(at), mode: statSync(path).mode };
    yield { ...root, type: "directory", path: STORE_PARTS.work(at), mode: 0o700 };
  }
  for (const [index, { path, entries }] of cargo.roots.entries()) {
    const mapped = ownersOf(statSync(path), cargo);
    const at = STORE_PARTS.root(index);
    yield entryOf(path, lstatSync(path), { at, mapped });
    for (const [source, stats] of entries) {
      const entry = entryOf(source, stats, { at: `${at}/${source.slice(path.length + 1)}`, mapped });
      const copy = cargo.copies.get(source);
      yield copy === undefined ? entry : { ...entry, type: "file", size: statSync(copy).size, source: copy };
    }
    // What is mounted in it needs a place there.
    for (const inner of cargo.roots)
      if (inner.path !== path && isWithin(inner.path, path))
        yield entryOf(inner.path, statSync(inner.path), { at: `${at}/${inner.path.slice(path.length + 1)}`, mapped });
  }
}

type Mapped = (stats: Stats) => { readonly uid: number; readonly gid: number };

/** Where the workspace is root's, who is nobody inside, it is shown as the sandbox's. */
function ownersOf(owner: Stats, { user }: Cargo): Mapped {
  return ({ uid, gid }) => ({ uid: uid === owner.uid ? user.uid : uid, gid: gid === owner.gid ? user.gid : gid });
}

function entryOf(source: string, stats: Stats, { at, mapped }: { readonly at: string; readonly mapped: Mapped }): TarEntry {
  const entry = { ...mapped(stats), path: at, mode: stats.mode, mtimeMs: stats.mtimeMs };
  if (stats.isDirectory()) return { ...entry, type: "directory" };
  if (stats.isSymbolicLink()) return { ...entry, type: "link", target: readlinkSync(source) };
  if (stats.isFile()) return { ...entry, type: "file", size: stats.size, source };
  throw new AgentError("sandbox-unavailable", `${source} is a device, which no engine elsewhere can be given.`, { remedy: "Remove it, or forbid its path." });
}
