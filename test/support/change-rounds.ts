import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ApplyReport } from "../../src/landing/files/report.ts";
import { unmountBelow } from "../../src/sandbox/workspace/mounts/directories.ts";
import { openChanges } from "../../src/landing/review/review.ts";
import { overlayWorkspace, type OverlaidWorkspace } from "./overlaid-workspace.ts";
import { changeTree, randomOf, type Random } from "./random-changes.ts";
import { type Fact, type Facts, isSame, readFacts } from "./tree-facts.ts";
import { once } from "./until.ts";

const PROGRAM = join(import.meta.dirname, "programs", "apply-changes.ts");
const TEMPORARY = /(?:^|\/)\.warder-[0-9a-f]{16}\.tmp$/u;

/** A workspace of a run: its view is seen from here, or is changed by a program inside, which tells what the run then sees. */
export type Stage = Pick<OverlaidWorkspace, "workspace" | "runDirectory" | "end" | "remove"> &
  (Pick<OverlaidWorkspace, "view"> | { changeInside(seed: number, steps: number): Promise<Facts> });
export type MakeStage = (files?: Readonly<Record<string, string>>, prepareLower?: (workspace: string) => void) => Promise<Stage>;

export type Round = {
  readonly kind: "apply" | "killed" | "discard" | "discard-part" | "apply-part";
  readonly changes: number;
  readonly refused: number;
  /** Kills that came while it went on. */ readonly kills: number;
  /** How long landings took that came to their end before a kill. */ readonly endedMs: readonly number[];
  readonly hasConflicts: boolean;
  /** What must never be. */ readonly faults: readonly string[];
};

/**
 * One random set of changes in a new workspace: made in a run's view, landed or thrown away, also killed in between and begun again, while
 * somebody else may change the workspace. The outcome is compared with plain directories: what the workspace was, what somebody else
 * made of it, and what the run saw. `longestMs`: within which time a kill comes.
 */
export async function playRound(seed: number, longestMs: number, overlay: MakeStage = overlayWorkspace): Promise<Round> {
  const random = randomOf(seed);
  const here = await overlay({ "kept.txt": "kept" }, (workspace) => {
    changeTree({ root: workspace, random, isWild: false }, 10 + random(40));
  });
  try {
    const before = readFacts(here.workspace);
    const wanted = await changeAsRun(here, random);
    await here.end();
    const hasConflicts = random(3) === 0;
    if (hasConflicts) changeTree({ root: here.workspace, random, isWild: false }, 1 + random(12));
    return await finish({ here, random, before, wanted, current: readFacts(here.workspace), hasConflicts }, longestMs);
  } catch (error) {
    return {
      kind: "apply",
      changes: 0,
      refused: 0,
      kills: 0,
      endedMs: [],
      hasConflicts: false,
      faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    };
  } finally {
    unmountBelow(here.runDirectory);
    await here.remove();
  }
}

async function changeAsRun(here: Stage, random: Random): Promise<Facts> {
  const steps = 5 + random(40);
  if ("changeInside" in here) return await here.changeInside(random(2 ** 31), steps);
  changeTree({ root: here.view, random, isWild: true }, steps);
  return readFacts(here.view);
}

type Scene = {
  readonly here: Stage;
  readonly random: Random;
  readonly before: Facts;
  /** What the run saw at its end. */ readonly wanted: Facts;
  /** The workspace when the changes are reviewed. */ readonly current: Facts;
  readonly hasConflicts: boolean;
};

const KINDS = ["killed", "killed", "killed", "apply", "apply-part", "discard", "discard-part"] as const;

async function finish(scene: Scene, longestMs: number): Promise<Round> {
  const kind = KINDS[scene.random(KINDS.length)] ?? "apply";
  const review = await openChanges(scene.here.runDirectory);
  const listed = review?.list() ?? [];
  await review?.close();
  const round = { kind, changes: listed.length, refused: 0, kills: 0, endedMs: [], hasConflicts: scene.hasConflicts };
  if (listed.length === 0) return { ...round, faults: compare(scene, scene.current, { report: null }) };
  if (kind === "discard" || kind === "discard-part") return { ...round, faults: await discard(scene, kind === "discard") };
  if (kind === "apply-part") return { ...round, ...(await applyParts(scene)) };
  const faults: string[] = [];
  const endedMs: number[] = [];
  const kills = kind === "killed" ? await killRepeatedly(scene, longestMs, { faults, endedMs }) : 0;
  const report = await applyOnce(scene);
  const result = readFacts(scene.here.workspace);
  faults.push(...compare(scene, result, { report }));
  return { ...round, kills, endedMs, refused: report?.refused.length ?? 0, faults };
}

async function applyOnce(scene: Scene, paths: readonly string[] = []): Promise<ApplyReport | null> {
  const review = await openChanges(scene.here.runDirectory);
  if (review === null) return null;
  // Each by its name: else a file of several names would wait.
  const report = await review.apply({ mayWrite: () => null, paths: paths.length > 0 ? paths : review.list().map(({ path }) => path) });
  const left = review.list().map(({ kind, path }) => `${kind} ${path}`);
  await review.close();
  const refused = new Set(report.refused.map(({ change }) => `${change.kind} ${change.path}`));
  const applied = new Set(report.applied.map(({ kind, path }) => `${kind} ${path}`));
  const wrong = left.filter((change) => applied.has(change) && !refused.has(change));
  if (wrong.length > 0) throw new Error(`Applied, and listed again: ${JSON.stringify(wrong)}`);
  return report;
}

/** A part by a random path, then the rest. */
async function applyParts(scene: Scene): Promise<{ refused: number; faults: readonly string[] }> {
  const path = await somePath(scene);
  const first = path === null ? null : await applyOnce(scene, [path]);
  // What somebody named goes, also below a directory that the run replaced by what never lands.
  const deleted = new Set(first?.applied.filter(({ kind }) => kind === "deleted").map((change) => Buffer.from(change.path).toString("latin1")));
  const faults = mixed(scene, readFacts(scene.here.workspace));
  const report = await applyOnce(scene);
  return { refused: report?.refused.length ?? 0, faults: [...faults, ...compare(scene, readFacts(scene.here.workspace), { report, deleted })] };
}

async function discard(scene: Scene, isWhole: boolean): Promise<readonly string[]> {
  const path = isWhole ? null : await somePath(scene);
  const review = await openChanges(scene.here.runDirectory);
  const before = review?.list() ?? [];
  const gone = new Set((await review?.discard(path === null ? [] : [path]))?.map(({ kind, path: of }) => `${kind} ${of}`));
  const faults: string[] = [];
  if (gone.size < before.length) {
    const left = review?.list().map(({ kind, path: of }) => `${kind} ${of}`);
    const expected = before.map(({ kind, path: of }) => `${kind} ${of}`).filter((change) => !gone.has(change));
    if (JSON.stringify(left) !== JSON.stringify(expected)) faults.push(`after discarding ${JSON.stringify(path)}: ${JSON.stringify({ left, expected })}`);
  }
  await review?.close();
  const result = readFacts(scene.here.workspace);
  for (const key of new Set([...result.keys(), ...scene.current.keys()]))
    if (result.get(key)?.stamp !== scene.current.get(key)?.stamp) faults.push(`discarding touched ${JSON.stringify(key)}`);
  return faults;
}

async function somePath({ here, random }: Scene): Promise<string | null> {
  const review = await openChanges(here.runDirectory);
  const paths = (review?.list() ?? []).map((change) => change.path).filter((path) => !path.includes("\uFFFD"));
  await review?.close();
  return paths[random(paths.length)] ?? null;
}

async function killRepeatedly(scene: Scene, longestMs: number, seen: { faults: string[]; endedMs: number[] }): Promise<number> {
  let kills = 0;
  for (let tries = 1 + scene.random(3); tries > 0; tries -= 1) {
    const child = spawn(process.execPath, [PROGRAM, scene.here.runDirectory], { stdio: ["ignore", "pipe", "inherit"], detached: true });
    const ended = once(child, "close");
    await once(child.stdout, "data").catch(() => ended);
    const openMs = performance.now();
    await Promise.race([pause(Math.random() * longestMs), ended]);
    // Alone, or with the program that writes for it: either may be the one that dies.
    if (child.exitCode === null && child.pid !== undefined) {
      kills += 1;
      process.kill(scene.random(2) === 0 ? child.pid : -child.pid, "SIGKILL");
    } else seen.endedMs.push(performance.now() - openMs);
    await ended;
    seen.faults.push(...mixed(scene, readFacts(scene.here.workspace)));
  }
  return kills;
}

/** In the middle each file is the workspace's or the run's, whole; and what somebody else changed is as they left it. */
function mixed(scene: Scene, result: Facts): readonly string[] {
  const faults: string[] = [];
  for (const path of new Set([...result.keys(), ...scene.current.keys(), ...scene.wanted.keys()])) {
    if (TEMPORARY.test(path)) continue;
    const [was, now] = [scene.current.get(path), result.get(path)];
    const isEither = isSame(now, was) || isSame(now, landed(scene, path));
    // What changes between a directory and something else is gone for a moment.
    const isBetween = now === undefined && (was?.type === "directory") !== (scene.wanted.get(path)?.type === "directory");
    const isWithinReplaced = now === undefined && was !== undefined && scene.wanted.get(path) === undefined;
    if (!isEither && !isBetween && !isWithinReplaced)
      faults.push(`mixed ${JSON.stringify(path)}: ${JSON.stringify({ was, now, wanted: scene.wanted.get(path) })}`);
    if (isTheirs(scene, path) && !isSame(now, was)) faults.push(`lost what somebody changed: ${JSON.stringify(path)}`);
  }
  return faults;
}

/** At the end: nothing half done, nothing of somebody else's lost, and without conflicts exactly what the run saw, but for what never lands. */
function compare(
  scene: Scene,
  result: Facts,
  { report, deleted = new Set() }: { report: ApplyReport | null; /** Named, and reported as gone. */ deleted?: ReadonlySet<string> },
): readonly string[] {
  const faults = [...mixed(scene, result)];
  for (const path of result.keys()) if (TEMPORARY.test(path)) faults.push(`a temporary file is left: ${path}`);
  if (scene.hasConflicts) return faults;
  const never = new Set([...scene.wanted.keys()].filter((path) => neverLands(scene, path)));
  for (const path of new Set([...result.keys(), ...scene.before.keys(), ...scene.wanted.keys()])) {
    const expected = isBelow(path, never) && !deleted.has(path) ? scene.before.get(path) : landed(scene, path);
    if (!isSame(result.get(path), expected)) faults.push(`wrong at the end ${JSON.stringify(path)}: ${JSON.stringify({ expected, found: result.get(path) })}`);
  }
  const few = report?.refused.filter(({ change }) => !isBelow(Buffer.from(change.path).toString("latin1"), never) && !change.path.includes("\uFFFD")) ?? [];
  for (const { change, reason } of few) faults.push(`refused without need: ${JSON.stringify(change.path)}: ${reason}`);
  return faults;
}

/** What a change makes of a path when it lands: setuid and its kin never do, unless nothing changed. */
function landed({ before, wanted }: Scene, path: string): Fact | undefined {
  const fact = wanted.get(path);
  const was = before.get(path);
  return fact === undefined || isSame(fact, was) || fact.type === "link" ? fact : { ...fact, mode: fact.mode & 0o777 };
}

function neverLands({ before, wanted }: Scene, path: string): boolean {
  const fact = wanted.get(path);
  if (fact === undefined || isSame(fact, before.get(path))) return false;
  const isLeaving = fact.type === "link" && leaves(path, fact.content);
  return fact.type === "other" || isLeaving || Buffer.from(path, "latin1").toString().includes("\uFFFD");
}

/** An absolute link, or one that goes up more often than its directory lies deep. */
function leaves(path: string, target: string): boolean {
  return target.startsWith("/") || target.split("/").filter((name) => name === "..").length >= path.split("/").length;
}

function isBelow(path: string, tops: ReadonlySet<string>): boolean {
  if (tops.has(path)) return true;
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) if (tops.has(path.slice(0, end))) return true;
  return false;
}

/** Somebody else changed it after the run began; of a directory only whether it is there. */
function isTheirs({ before, current }: Scene, path: string): boolean {
  const [was, now] = [before.get(path), current.get(path)];
  if (was === undefined || now === undefined) return was !== now;
  return was.type !== now.type || (was.type !== "directory" && was.stamp !== now.stamp);
}
