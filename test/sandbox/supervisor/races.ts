import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync, chownSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { commandUid, makeWorkspace, openSession } from "./process.ts";

/** What threads did to the workspace meanwhile, what the file verbs came to, and everything of outside that was seen or touched. */
export type Race = {
  readonly swaps: number;
  readonly done: Readonly<Record<"read" | "write" | "list" | "search", number>>;
  readonly refused: number;
  readonly escapes: readonly string[];
};

const THREADS = 10;
/** Of each verb, and of refusals, however slow the machine is. */
const ENOUGH = 20;
const SECRET = "content of outside";
const ONLY_OUTSIDE = "only-outside";

/** Each thread swaps what lies in a directory of its own as fast as it can: the directory itself, one below it, a file, or a link that leads inside and outside by turns. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
const { relative } = require("node:path");
const { workerData: { work, outside, index, shared } } = require("node:worker_threads");
const state = new Int32Array(shared);
const own = work + "/d" + index;
const to = index % 2 === 0 ? outside : relative(index % 5 < 3 ? work : own, outside);
let gone = 0;
// A write makes the directories that are not there, and so stands in the way of one that is away.
const clear = (path, make) => {
  for (;;)
    try {
      return make();
    } catch (error) {
      if (!["EEXIST", "ENOTEMPTY", "EISDIR", "ENOTDIR"].includes(error.code)) throw error;
      renameSync(path, own + ".gone" + String(gone++));
    }
};
// As long as a verb takes from its look to its opening; and the verbs need the cores, too.
const pause = () => Atomics.wait(state, 0, 0, 1);
const away = (path, target) => {
  renameSync(path, path + ".away");
  clear(path, () => symlinkSync(target, path));
  pause();
  unlinkSync(path);
  clear(path, () => renameSync(path + ".away", path));
};
const turn = (target) => {
  symlinkSync(target, own + "/link.new");
  clear(own + "/link", () => renameSync(own + "/link.new", own + "/link"));
};
while (Atomics.load(state, 0) === 0) {
  if (index % 5 < 3) away(own, to);
  else if (index === 3) away(own + "/inner/file", to + "/file");
  else if (index === 8) away(own + "/inner", to);
  else { turn(to); turn("inner"); }
  Atomics.add(state, 1, 1);
  pause();
}`;

/** Reads, writes, lists and searches for so long, and until each was done, while ten threads swap links and directories under the supervisor, to which all of this machine is there. */
export async function race(durationMs: number): Promise<Race> {
  const outside = makeWorkspace();
  const session = await openSession();
  const shared = new SharedArrayBuffer(8);
  const state = new Int32Array(shared);
  const work = session.workspace.path;
  fill(outside.path, SECRET);
  writeFileSync(join(outside.path, ONLY_OUTSIDE), SECRET);
  const before = treeOf(outside.path);
  for (let index = 0; index < THREADS; index += 1) fill(join(work, `d${String(index)}`), "content of inside");
  const workers = Array.from(
    { length: THREADS },
    (_, index) => new Worker(SWAPPER, { eval: true, workerData: { work, outside: outside.path, index, shared } }),
  );
  const ended = Promise.all(workers.map((worker) => new Promise((resolve, reject) => void worker.once("exit", resolve).once("error", reject))));
  // It is awaited at the end.
  ended.catch(() => undefined);
  const done = { read: 0, write: 0, list: 0, search: 0 };
  const escapes: string[] = [];
  let refused = 0;
  const count = (verb: keyof typeof done, path: string, reply: { readonly kind: string }, seen: string): void => {
    if (reply.kind === "done") done[verb] += 1;
    else refused += 1;
    if (seen.includes(SECRET) || seen.includes(ONLY_OUTSIDE)) escapes.push(`${verb} ${path}`);
  };
  try {
    const until = performance.now() + durationMs;
    const isEnough = (): boolean => Math.min(...Object.values(done), refused) >= ENOUGH;
    for (let round = 0; performance.now() < until || !isEnough(); round += 1) {
      const own = join(work, `d${String(round % THREADS)}`);
      // A long way between the look at a directory and its opening: the walk goes in and out of it so often.
      const far = "inner/../".repeat(350);
      for (const path of [
        `${own}/${far}file`,
        `${own}/inner/${"x/../".repeat(600)}file`,
        `${own}/link/file`,
        `${own}/${ONLY_OUTSIDE}`,
        `${own}/link/${ONLY_OUTSIDE}`,
      ]) {
        const reply = await session.client.read({ path, offset: 0, length: 1000 });
        count("read", path, reply, reply.kind === "done" ? Buffer.from(reply.value.bytes).toString() : "");
      }
      for (const path of [`${own}/${far}new`, `${own}/inner/${"x/../".repeat(600)}file`, `${own}/link/made/new`]) {
        const reply = await session.client.write({ path, content: Buffer.from("written"), expectation: { kind: "any" } });
        count("write", path, reply, "");
      }
      for (const path of [`${own}/${far}inner`, `${own}/link`]) {
        const reply = await session.client.list({ path, depth: 3, maxEntries: 100 });
        count("list", path, reply, reply.kind === "done" ? reply.value.entries.map(({ name }) => name).join("\n") : "");
        const found = await session.client.search({ path, text: "content", ignoresCase: false, maxMatches: 100, maxPerFile: 100 });
        count("search", path, found, found.kind === "done" ? found.value.lines.map(({ text }) => text).join("\n") : "");
      }
    }
  } finally {
    Atomics.store(state, 0, 1);
    await ended;
    await session.close();
  }
  const after = treeOf(outside.path);
  outside.remove();
  if (after !== before) escapes.push(`outside was changed: ${after}`);
  return { swaps: Atomics.load(state, 1), done, refused, escapes };
}

/** Files that the commands' user may write, inside as outside: nothing but the supervisor stands between. */
function fill(path: string, content: string): void {
  mkdirSync(join(path, "inner", "x"), { recursive: true });
  writeFileSync(join(path, "file"), content);
  writeFileSync(join(path, "inner", "file"), content);
  for (const each of ["", "inner", "inner/x", "inner/file", "file"]) chownSync(join(path, each), commandUid, commandUid);
}

function treeOf(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const full = join(entry.parentPath, entry.name);
      return `${full} ${String(lstatSync(full).ctimeMs)} ${entry.isFile() ? readFileSync(full, "utf8") : ""}`;
    })
    .toSorted()
    .join("\n");
}
