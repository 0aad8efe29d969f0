import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { ancestorsOf } from "../../src/sandbox/workspace/files/layers.ts";
import type { FlaggedChange } from "../../src/landing/review/review.ts";
import { type GitWorkspace, gitWorkspace } from "./git-workspace.ts";
import { differences, stateFrom, TELL_STATE, type GitState } from "./pairs/state.ts";
import { type Fact, isSame, readFacts } from "./tree-facts.ts";
import { wholeFaults } from "./whole-repository.ts";

/** What a hostile run does in a repository, as scripts of bash. `CANARY` is a file that nothing may make; nobody may write what is called `forbidden`. */
export type HostileRun = {
  /** What the person has before. */ readonly before?: string;
  readonly run: string;
  /** What becomes of the repository: `moves` as shown, or `stays` as it was. */
  readonly ends: "moves" | "stays";
  /** The branch that is checked out is the same afterwards. */ readonly keepsHead?: true;
  /** In what the person is told. */ readonly says?: RegExp;
  /** Something else was so once: a usual run plays it. */ readonly wasFault?: true;
};

const MAKE =
  "git init -q; git config user.name A; git config user.email a@example.com; echo a > a; git add .; git commit -qm one; git branch side; echo b > b; git add b; git commit -qm two";

/** Where git looks for what the person's commits and refs are, which a landing may write; all else of a `.git` steers it. */
const WRITTEN = /^(?:objects\/(?:[0-9a-f]{2}|pack)(?:\/.*)?|refs\/(?!replace).*|packed-refs|index|HEAD|logs(?:\/.*)?|sharedindex\..*)$/u;

/** Plays it, lands it, and says in what the person's repository is now another than the review said. */
export async function playHostile({ before = "true", run, ends, keepsHead, says }: HostileRun): Promise<readonly string[]> {
  const here = await gitWorkspace(`${MAKE}; ${before}`);
  try {
    const canary = join(here.runDirectory, "canary");
    const steering = steeringIn(here.workspace);
    const start = readFacts(here.workspace);
    const [was, lower] = [stateOf(here), new Map([...start].filter(([path]) => !isOfGit(path)))];
    here.inRun(`CANARY='${canary}'\n${run}`);
    const wanted = readFacts(here.view);
    const review = await here.review();
    const shown = await review.flagged();
    const text = await review.diff(1024 * 1024);
    const report = await review.apply({ mayWrite: (path) => (path.endsWith("/forbidden") ? "Forbidden." : null) });
    await review.close();
    const is = stateOf(here);
    const told = [...report.refused.map(({ reason }) => reason), ...shown.flatMap(({ flags }) => flags.map(({ reason }) => reason)), text].join("\n");
    const faults = [...moveFaults({ was, is, shown }), ...steeringFaults(steering, steeringIn(here.workspace))];
    const end = differences(was, is).length === 0 ? "stays" : "moves";
    if (end !== ends) faults.push(`the repository ${end}: ${[...differences(was, is), ...new Set(report.refused.map(({ reason }) => reason))].join("; ")}`);
    if (keepsHead === true && was.head !== is.head) faults.push(`HEAD is ${is.head}`);
    if (says !== undefined && !says.test(told)) faults.push(`nothing says ${String(says)}: ${told.slice(0, 2000)}`);
    const refused = new Set(report.refused.map(({ change }) => change.path));
    faults.push(...fileFaults({ lower, wanted, refused }, readFacts(here.workspace)));
    faults.push(...wholeFaults(here, is, { hasCommit: true }), ...checkoutFaults(here));
    if (existsSync(canary)) faults.push("a program of the run's was started");
    return faults;
  } finally {
    await here.remove();
  }
}

const isOfGit = (path: string): boolean => path === ".git" || path.startsWith(".git/");

function stateOf(here: GitWorkspace): GitState {
  return stateFrom(here.onHost(TELL_STATE));
}

/** Digests of what steers git in the person's repository. */
function steeringIn(workspace: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const name of readdirSync(join(workspace, ".git", directory))) {
      const path = directory === "" ? name : `${directory}/${name}`;
      const stats = lstatSync(join(workspace, ".git", path));
      if (WRITTEN.test(path)) continue;
      if (stats.isDirectory()) walk(path);
      else found.set(path, stats.isSymbolicLink() ? readlinkSync(join(workspace, ".git", path)) : digestOf(readFileSync(join(workspace, ".git", path))));
    }
  };
  walk("");
  return found;
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function steeringFaults(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).map((path) => `.git/${path} is another`);
}

/** Each move stood in the review: a ref by what it names now, an entry of the index by the commit that is checked out, or as staged. */
function moveFaults({ was, is, shown }: { readonly was: GitState; readonly is: GitState; readonly shown: readonly FlaggedChange[] }): readonly string[] {
  const notes = shown.flatMap(({ refs = [] }) => refs);
  const staged = notes.filter(({ summary }) => summary.startsWith("staged")).flatMap(({ files }) => files);
  const faults: string[] = [];
  for (const name of new Set([...was.refs.keys(), ...is.refs.keys()])) {
    const [before, after] = [was.refs.get(name), is.refs.get(name)];
    const line = `${name}: ${before?.slice(0, 12) ?? "nothing"} → ${after?.slice(0, 12) ?? "nothing"}`;
    if (before !== after && !notes.some(({ summary }) => summary.startsWith(line))) faults.push(`no line says ${line}`);
  }
  if (was.head !== is.head && !notes.some(({ summary }) => summary.startsWith("HEAD ("))) faults.push(`no line says that HEAD is ${is.head}`);
  for (const path of new Set([...was.index.keys(), ...is.index.keys()])) {
    const entry = is.index.get(path);
    const isKnown = entry === is.committed.get(path) || staged.some((line) => line.replace(/ \(\d+ → \d+\)$/u, "").slice(2) === path);
    if (was.index.get(path) !== entry && !isKnown) faults.push(`no line says that ${path} is ${entry ?? "gone"} in the index`);
  }
  return faults;
}

type Files = { readonly lower: ReadonlyMap<string, Fact>; readonly wanted: ReadonlyMap<string, Fact>; readonly refused: ReadonlySet<string> };

/** Every file is as the run had it, but for what the report says did not land. */
function fileFaults({ lower, wanted, refused }: Files, result: ReadonlyMap<string, Fact>): readonly string[] {
  const faults: string[] = [];
  for (const path of new Set([...lower.keys(), ...wanted.keys(), ...result.keys()])) {
    if (isOfGit(path)) continue;
    const [before, run, is] = [lower.get(path), wanted.get(path), result.get(path)];
    const isRefused = [path, ...ancestorsOf(path)].some((each) => refused.has(Buffer.from(each, "latin1").toString()));
    const expected = isRefused || isSame(before, run) ? before : run && { ...run, mode: run.type === "link" ? run.mode : run.mode & 0o777 };
    if (!isSame(expected, is)) faults.push(`the file ${JSON.stringify(path)} is ${JSON.stringify(is)} and not ${JSON.stringify(expected)}`);
  }
  return faults;
}

/** What a clone checks out is the commit that it checks out. */
function checkoutFaults(here: GitWorkspace): readonly string[] {
  const differences = here.onHost(
    "git clone -q --no-local . ../checkout; diff <(git ls-tree -r HEAD) <(git -C ../checkout ls-files -s | sed 's/ 0\\t/\\t/; s/^\\(160000\\) /\\1 commit /; s/^\\(1[02]\\S*\\) /\\1 blob /') || true",
  );
  return differences === "" ? [] : [`a checkout: ${differences}`];
}
