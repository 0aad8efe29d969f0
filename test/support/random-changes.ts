import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";

/** Numbers that a seed decides: below `limit`, whole. */
export type Random = (limit: number) => number;

/** mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

// Paths are bytes: each is a text of latin1 here, so that a name need not be UTF-8.
const bytes = (path: string): Buffer => Buffer.from(path, "latin1");
const NAMES = [
  "a",
  "b",
  "c",
  "d",
  "e f",
  "-x",
  "new\nline",
  "tab\t",
  "*",
  "[x]",
  "$(id)",
  ".hidden",
  "\u00c3\u00bc",
  "\u00f0\u009f\u0092\u00a5",
  "'\"",
  "long".repeat(50),
  "...",
  "%41",
];
const NO_UTF8 = ["\u00ff\u00fe", "cut\u00c3"];
const MODES = [0o644, 0o600, 0o755, 0o700, 0o444, 0o000, 0o4755, 0o2755, 0o1777, 0o6711];
/** Whoever is not root could not look at what they closed to themselves. */
const OWNERS_OWN = process.getuid?.() === 0 ? 0 : 0o700;
// No names of the tree: a link to a loop does not land, either.
const TARGETS = ["nowhere", "else/where", "t", "/nonexistent/away", "../../../../../../../../../../../../../../../../x"];

export type Place = {
  readonly root: string;
  readonly random: Random;
  /** Names that are not UTF-8, special files, links that leave: what a workspace must not have at the start of a run. */
  readonly isWild: boolean;
};

/** Makes `steps` random steps in a tree: whatever a program may do to files. A step that the tree does not allow is left out. */
export function changeTree(place: Place, steps: number): void {
  for (let step = 0; step < steps; step += 1) {
    try {
      STEPS[place.random(STEPS.length)]?.(place);
    } catch (error) {
      if (!EXPECTED.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

// What a step meets in a tree that others made: another type, a directory that is full, a rename that overlayfs does not do (116 is ESTALE: hard
// links in its upper layer).
const EXPECTED = new Set([
  "ENOENT",
  "EEXIST",
  "ENOTDIR",
  "EISDIR",
  "ENOTEMPTY",
  "EXDEV",
  "EINVAL",
  "ELOOP",
  "ENAMETOOLONG",
  "EBUSY",
  "ENXIO",
  "EPERM",
  "Unknown system error -116",
]);

const STEPS: readonly ((place: Place) => void)[] = [
  (place) => write(place, newPath(place)),
  (place) => write(place, newPath(place)),
  (place) => write(place, newPath(place)),
  (place) => write(place, anyPath(place)),
  (place) => write(place, anyPath(place)),
  (place) => mkdirSync(bytes(newPath(place)), { mode: 0o755 }),
  (place) => mkdirSync(bytes(newPath(place)), { mode: 0o700 }),
  (place) => deepen(place),
  (place) => rmSync(bytes(anyPath(place)), { recursive: true, force: true }),
  (place) => rmSync(bytes(anyPath(place)), { recursive: true, force: true }),
  (place) => rmdirSync(bytes(anyPath(place))),
  (place) => chmodSync(bytes(plain(anyPath(place))), (MODES[place.random(MODES.length)] ?? 0o644) | OWNERS_OWN),
  (place) => renameSync(bytes(anyPath(place)), bytes(newPath(place))),
  (place) => renameSync(bytes(anyPath(place)), bytes(anyPath(place))),
  (place) => symlinkSync(target(place), bytes(newPath(place))),
  (place) => replace(place, (path) => symlinkSync(target(place), bytes(path))),
  (place) => replace(place, (path) => mkdirSync(bytes(path))),
  (place) => replace(place, (path) => write(place, path)),
  (place) => utimesSync(bytes(plain(anyPath(place))), 1_000_000_000 + place.random(1_000_000), 1_000_000_000),
  (place) => linkSync(bytes(anyPath(place)), bytes(newPath(place))),
  (place) => truncateSync(bytes(plain(anyPath(place))), place.random(200_000)),
  (place) => makePipe(place),
];

/** What cannot be made, as something is there, is left out. */
function makePipe(place: Place): void {
  const path = newPath(place);
  if (place.isWild && /^[ -~]+$/u.test(path)) spawnSync("mkfifo", [path], { stdio: "ignore" });
}

function write(place: Place, path: string): void {
  const size = place.random(10) === 0 ? place.random(300_000) : place.random(200);
  const content = Buffer.alloc(size, `${String(place.random(1_000_000))} `);
  writeFileSync(bytes(plain(path)), content, place.random(3) === 0 ? { flag: "a" } : { mode: MODES[place.random(4)] ?? 0o644 });
}

/** The path, unless a call would follow a link there, out of the tree, or wait for a FIFO's other end. */
function plain(path: string): string {
  const stats = lstatSync(bytes(path), { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return path;
  throw Object.assign(new Error("no file"), { code: "EINVAL" });
}

function deepen(place: Place): void {
  let path = newPath(place);
  for (let depth = place.random(12); depth >= 0; depth -= 1) {
    mkdirSync(bytes(path));
    path += `/${NAMES[place.random(4)] ?? "a"}`;
  }
  write(place, path);
}

function replace({ root, random, isWild }: Place, make: (path: string) => void): void {
  const path = anyPath({ root, random, isWild });
  rmSync(bytes(path), { recursive: true, force: true });
  make(path);
}

function target({ random, isWild }: Place): string {
  return TARGETS[random(isWild ? TARGETS.length : 3)] ?? "a";
}

function newPath(place: Place): string {
  const { root, random, isWild } = place;
  const directories = [root, ...pathsIn(root, true)];
  const names = isWild && random(8) === 0 ? NO_UTF8 : NAMES;
  return `${directories[random(directories.length)] ?? root}/${names[random(names.length)] ?? "a"}`;
}

function anyPath({ root, random }: Place): string {
  const paths = pathsIn(root, false);
  return paths[random(paths.length)] ?? `${root}/a`;
}

function pathsIn(directory: string, onlyDirectories: boolean): readonly string[] {
  return readdirSync(bytes(directory), { withFileTypes: true, encoding: "buffer" }).flatMap((entry) => {
    const path = `${directory}/${entry.name.toString("latin1")}`;
    if (!entry.isDirectory()) return onlyDirectories ? [] : [path];
    return [path, ...pathsIn(path, onlyDirectories)];
  });
}
