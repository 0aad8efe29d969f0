import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import { namesIn } from "../../sandbox/workspace/files/tree.ts";
import { type Subject, take } from "./checking-repository.ts";
import { filesOf, placeOf } from "../../sandbox/workspace/repository/placed.ts";
import type { GitEnd } from "../../sandbox/workspace/repository/git.ts";

/** Whether a file of the run's repository is the run's own, the workspace's, or gone. */
export function layerOf(path: string, files: ReadonlyMap<string, boolean>): "upper" | "lower" | null {
  const isThere = files.get(path);
  return isThere === undefined ? "lower" : isThere ? "upper" : null;
}

/** The run's index as git makes it of the entries alone: what else an index holds may say something else than they do. */
export async function takeIndex(subject: Subject, files: ReadonlyMap<string, boolean>): Promise<string | null> {
  const { git, scratch } = subject;
  const beside = dirname(placeOf(subject, "index"));
  const names = [...namesIn(filesOf(subject).lower, beside), ...files.keys()].filter((name) => name === "index" || /^sharedindex\.[0-9a-f]+$/u.test(name));
  const taken = [...new Set(names)];
  for (const name of taken) {
    const layer = layerOf(name, files);
    if (layer !== null) take(subject, name, layer);
  }
  const entries = await entriesIn(subject);
  // What git cannot read may not stay either: most of its commands look at an index.
  for (const name of taken) rmSync(join(scratch, name), { force: true });
  if (!entries.isDone) return `git cannot read the index: ${makeVisibleLine(entries.complaint)}`;
  const made = await git(["update-index", "-z", "--index-info"], { input: Buffer.from(entries.stdout, "latin1") });
  // Of a path that is none git says so, and goes on.
  const again = made.isDone ? await git(["ls-files", "--stage", "-z"], { encoding: "latin1" }) : made;
  return again.isDone && again.stdout === entries.stdout ? null : `The index has an entry that git does not allow: ${makeVisibleLine(made.complaint)}`;
}

const EMPTY_FILE = { sha1: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", sha256: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813" };
const INTENT_TO_ADD = 0x2000_0000;

/** What is staged. A file that is only meant to be added (`git add -N`) is not: git lists it as an empty one. */
async function entriesIn({ git, format }: Subject): Promise<GitEnd> {
  const listed = await git(["ls-files", "--stage", "-z"], { encoding: "latin1" });
  if (!listed.isDone || !listed.stdout.includes(EMPTY_FILE[format])) return listed;
  const told = await git(["ls-files", "--debug", "-z"], { encoding: "latin1" });
  const flags = [...told.stdout.matchAll(/\0 {2}ctime: [^\0]*?\tflags: ([0-9a-f]+)\n/gu)].map(([, hex = ""]) => Number.parseInt(hex, 16));
  const entries = listed.stdout.split("\0").slice(0, -1);
  if (!told.isDone || flags.length !== entries.length) return { ...told, isDone: false };
  const staged = entries.filter((_entry, at) => ((flags[at] ?? 0) & INTENT_TO_ADD) === 0);
  return { ...listed, stdout: staged.map((entry) => `${entry}\0`).join("") };
}
