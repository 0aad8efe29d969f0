import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { HANDED_LIMITS, keepHanded, keepHandedContent } from "../../gate/kept/handed.ts";
import type { Gate } from "../../gate/create-gate.ts";
import type { Hook } from "../../gate/hooks/hook.ts";
import type { Label } from "../../policy/label.ts";
import type { Change, Session } from "../../sandbox/runtime.ts";
import { smallFile } from "../../sandbox/workspace/files/small-file.ts";
import { layerChanges, removeBranch } from "../../sandbox/workspace/turns/branch.ts";
import type { HandedChange } from "../../tools/contract/tool.ts";
import type { Records } from "../records/records.ts";

/** What overlays of sub-agents' own are made of. `openBeside`: opens a further sandbox of the run, without a network, and the hooks that look at it. */
export type ApartPlace = {
  readonly records: Records;
  readonly workspace: string;
  readonly openBeside: (runId: string) => Promise<{ readonly session: Session; readonly hooks: readonly Hook[] }>;
};

/** A sandbox of a sub-agent's own, whose workspace began as that of its parent. Each way out of it closes it. */
export type Apart = {
  readonly session: Session;
  readonly hooks: readonly Hook[];
  /** It goes on later: what it changed stays in its overlay. */
  readonly leave: () => Promise<void>;
  /** Its parent gets what it changed, and the overlay is removed. Gives why that could not be; null: it could. */
  readonly handOver: (labels: readonly Label[]) => Promise<string | null>;
  readonly drop: () => Promise<void>;
};

type From = { readonly gate: Pick<Gate, "alone">; readonly session: Session };

/** sha256 of each file that was no longer what lies in the workspace, by its path below that; null: it was not there. */
type Begun = ReadonlyMap<string, string | null>;

/** Opens it, or goes on in it after a restart. Gives why there can be none, as a sentence. */
export async function openApart(place: ApartPlace, parent: From, runId: string): Promise<Apart | { readonly problem: string }> {
  const directory = directoryOf(place.records, runId);
  let session: Session | null = null;
  try {
    const known = readBegun(directory);
    // Without this file nothing was done in it.
    if (known === null) {
      removeBranch(directory);
      mkdirSync(directory, { mode: 0o700 });
      await parent.gate.alone(() => parent.session.branch({ runId, directory }));
    }
    const opened = await place.openBeside(runId);
    ({ session } = opened);
    const begun = known ?? (await beginning(directory, place.workspace, session));
    return { ...opened, ...endings(place, { runId, directory, session, begun }) };
  } catch (error) {
    await session?.close();
    removeBranch(directory);
    if (error instanceof AgentError) return { problem: error.problem };
    throw error;
  }
}

/** Removes the overlay that a sub-agent had which is over, if it left one: its process was killed. */
export function removeApart(records: Records, runId: string): void {
  const directory = directoryOf(records, runId);
  if (existsSync(directory)) removeBranch(directory);
}

const directoryOf = ({ store }: Records, runId: string): string => join(store.paths.runs, runId);
const begunIn = (directory: string): string => join(directory, "begun.json");

function readBegun(directory: string): Begun | null {
  const file = begunIn(directory);
  return existsSync(file) ? new Map(JSON.parse(readFileSync(file, "utf8")) as readonly (readonly [string, string | null])[]) : null;
}

async function beginning(directory: string, workspace: string, session: Session): Promise<Begun> {
  const paths = filesIn(layerChanges(directory)).map(({ path }) => path);
  const hashes = await session.hash(paths.map((path) => join(workspace, path)));
  const begun = paths.map((path, index) => [path, hashes[index] ?? null] as const);
  writeFileSync(begunIn(directory), JSON.stringify(begun), { mode: 0o600 });
  return new Map(begun);
}

type Opened = { readonly runId: string; readonly directory: string; readonly session: Session; readonly begun: Begun };

function endings({ records, workspace }: ApartPlace, opened: Opened): Pick<Apart, "leave" | "handOver" | "drop"> {
  const { runId, directory, session } = opened;
  const drop = async (): Promise<void> => {
    await session.close();
    removeBranch(directory);
  };
  return {
    leave: () => session.close(),
    drop,
    handOver: async (labels) => {
      try {
        await session.stopJobs();
        keepHanded(records.store.paths.artifacts, runId, { changes: await collect(records.store.paths.artifacts, workspace, opened), labels });
        return null;
      } catch (error) {
        if (error instanceof AgentError) return `What it changed is lost: ${error.problem}`;
        throw error;
      } finally {
        await drop();
      }
    },
  };
}

/** What is no regular file, or part of a repository, is not carried from one overlay to another. */
const filesIn = (changes: readonly Change[]): readonly Change[] => changes.filter(({ path, type }) => type !== "directory" && !isOfRepository(path));
const isOfRepository = (path: string): boolean => path.split("/").includes(".git");

async function collect(artifacts: string, workspace: string, { runId, directory, session, begun }: Opened): Promise<readonly HandedChange[]> {
  const changes = layerChanges(directory);
  const now = new Map(changes.map((change) => [change.path, change]));
  const paths = [...new Set([...filesIn(changes).map(({ path }) => path), ...begun.keys()])].toSorted();
  const hashes = await session.hash(paths.map((path) => join(workspace, path)));
  const handed: HandedChange[] = [];
  let bytes = 0;
  for (const [index, path] of paths.entries()) {
    const change = now.get(path);
    const after = hashes[index] ?? null;
    const before = begun.has(path) ? (begun.get(path) ?? null) : hashOnMachine(join(workspace, path));
    if (after === before && change?.kind !== "mode" && !isOdd(change)) continue;
    const content = after === null || after === before ? null : await session.bytes(join(workspace, path), HANDED_LIMITS.fileBytes);
    const kind = after === null && !isOdd(change) ? "deleted" : before === null ? "added" : "modified";
    const obstacle = obstacleTo({ change, before, after, content, bytes, files: handed.length });
    if (obstacle === null && content !== null) {
      bytes += content.length;
      keepHandedContent(artifacts, runId, join(workspace, path), content);
    }
    const isExecutable = ((change?.mode ?? 0) & 0o100) !== 0;
    handed.push({ path: join(workspace, path), kind, size: content?.length ?? change?.size ?? 0, before, after, isExecutable, obstacle });
  }
  return [...handed, ...odd(changes, workspace)];
}

/** Something else than a file stands there now. */
const isOdd = (change: Change | undefined): boolean => change !== undefined && change.kind !== "deleted" && change.type !== "file";

type Candidate = {
  readonly change: Change | undefined;
  readonly before: string | null;
  readonly after: string | null;
  readonly content: Buffer | null;
  readonly bytes: number;
  readonly files: number;
};

function obstacleTo({ change, before, after, content, bytes, files }: Candidate): string | null {
  if (isOdd(change)) return change?.type === "link" ? "a symlink is not merged" : "no regular file";
  if (files >= HANDED_LIMITS.files) return `more than ${HANDED_LIMITS.files.toLocaleString("en")} files`;
  if (after === null) return null;
  if (after === before) return "its mode alone changed";
  if (content === null) return "larger than 10 MiB";
  if (sha256(content) !== after) return "it changed as it was read";
  return bytes + content.length > HANDED_LIMITS.bytes ? "all together are more than 64 MiB" : null;
}

/** Of repositories and whole directories it is said alone that they changed. */
function odd(changes: readonly Change[], workspace: string): readonly HandedChange[] {
  const told = (path: string, kind: HandedChange["kind"], obstacle: string): HandedChange => {
    return { path: join(workspace, path), kind, size: 0, before: null, after: null, isExecutable: false, obstacle };
  };
  const repositories = new Set(changes.flatMap(({ path }) => (isOfRepository(path) ? [path.slice(0, `/${path}/`.indexOf("/.git/") + ".git".length)] : [])));
  const directories = changes.filter(({ path, kind, type }) => type === "directory" && kind === "deleted" && !isOfRepository(path));
  return [
    ...[...repositories].map((path) => told(path, "modified", "commits and other changes of a repository are not merged")),
    ...directories.map(({ path }) => told(path, "deleted", "a deleted directory is not merged: delete its files")),
  ];
}

/** What both overlays show as long as neither changed it. */
function hashOnMachine(path: string): string | null {
  const file = smallFile(path, HANDED_LIMITS.fileBytes);
  return file === null ? null : sha256(file.content);
}
