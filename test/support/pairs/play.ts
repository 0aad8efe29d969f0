import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ancestorsOf } from "../../../src/sandbox/workspace/files/layers.ts";
import { unmountBelow } from "../../../src/sandbox/workspace/mounts/directories.ts";
import { type FlaggedChange, openChanges } from "../../../src/landing/review/review.ts";
import { AgentError } from "../../../src/base/errors.ts";
import { ENV, type GitWorkspace, gitWorkspace } from "../git-workspace.ts";
import { randomOf, type Random } from "../random-changes.ts";
import { type Facts, isSame, readFacts } from "../tree-facts.ts";
import { treeText, wholeFaults } from "../whole-repository.ts";
import { drawOperations, isQuiet, type Played } from "./operations.ts";
import { differences, type GitState, isMadeWithoutIndex, landed, stateFrom, TELL_STATE } from "./state.ts";
import { once } from "../until.ts";

const LANDING = join(import.meta.dirname, "..", "programs", "apply-changes.ts");
const BRANCH = "warder/pair";
/** Within which time a landing that is to be killed is. */
const KILL_MS = 1200;

const IDENTITY = "git config user.name A; git config user.email a@example.com";
const HISTORY =
  "mkdir d; for f in a b d/e d/f g; do echo $f > $f; done; git add .; git commit -qm one; git tag one; git branch side; git branch topic; echo 2 >> b; git commit -qam two; git checkout -q side; echo side >> d/e; git commit -qam three; git checkout -q main; echo 4 >> a; git commit -qam four";
const MAKERS: readonly string[] = [
  `git init -q; ${IDENTITY}; ${HISTORY}`,
  `git init -q; ${IDENTITY}; ${HISTORY}; git gc -q; git pack-refs --all`,
  `git init -q --object-format=sha256; ${IDENTITY}; ${HISTORY}`,
  `git init -q; ${IDENTITY}; git config core.untrackedCache true; git config core.splitIndex true; git config index.threads 2; ${HISTORY}; git status`,
  `git init -q; ${IDENTITY}; git config feature.manyFiles true; ${HISTORY}; echo mine >> d/f; echo staged > s; git add s`,
  `git init -q; ${IDENTITY}; ${HISTORY}; git stash list; echo x >> a; git stash -q; git worktree add -q ../wt-side side; git notes add -m note`,
];

function inFormat(maker: string, format: RefFormat): string {
  return format === "files" ? maker : maker.replace("git init -q", `git init -q --ref-format=${format}`);
}

/** Locks of all refs together, by which a person holds them. */
const REF_LOCKS = [".git/packed-refs.lock", ".git/reftable/tables.list.lock"];

export type Pair = {
  readonly seed: number;
  readonly run: readonly string[];
  readonly host: readonly string[];
  readonly outcome: "landed" | "held" | "nothing";
  readonly isKilled: boolean;
  readonly reasons: readonly string[];
  /** What must never be. */ readonly faults: readonly string[];
};

/** How a repository keeps its refs; `reftable` needs git 2.45. */
export type RefFormat = "files" | "reftable";

/** What a run does with git, and what a person does with it meanwhile; then a branch is made, and the run lands. A seed decides both. */
export async function playPair(seed: number, refFormat: RefFormat = "files"): Promise<Pair> {
  const random = randomOf(seed);
  const maker = inFormat(MAKERS[random(MAKERS.length)] ?? "", refFormat);
  const here = await gitWorkspace(`{ export GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000'; ${maker}; } > /dev/null 2>&1`);
  const run = drawOperations(random, "run", 1 + random(5));
  const host = drawOperations(random, "host", random(4));
  const pair = { seed, run: run.names, host: host.names };
  try {
    return { ...pair, ...(await finish(here, { run, host, random })) };
  } catch (error) {
    return { ...pair, outcome: "nothing", isKilled: false, reasons: [], faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
  } finally {
    unmountBelow(here.runDirectory);
    await here.remove();
  }
}

type Doings = { readonly run: Played; readonly host: Played; readonly random: Random };
type Ended = Pick<Pair, "outcome" | "isKilled" | "reasons" | "faults">;

/** One side at one moment. */
type Moment = { readonly git: GitState; readonly files: Facts };

async function finish(here: GitWorkspace, { run, host, random }: Doings): Promise<Ended> {
  const before = momentOf((script) => here.onHost(script), here.workspace);
  here.inRun(run.script);
  const end = momentOf((script) => here.inRun(script), here.view);
  const history = "git rev-list --all --reflog --parents; git rev-list --parents HEAD 2> /dev/null || true";
  const runs = here.inRun(history);
  const left = leftIn(here.view, { before, end });
  await here.end();
  here.onHost(host.script);
  const transaction = host.names.includes("transaction") ? await holdBranch(here) : null;
  const scene: Scene = {
    here,
    before,
    end,
    parents: parentsOf(runs + here.onHost(history)),
    left,
    host,
    now: momentOf((script) => here.onHost(script), here.workspace),
  };
  const faults: string[] = [];
  const shown = await look(here);
  faults.push(...(await branchFaults(scene, shown)));
  const isKilled = shown !== null && random(6) === 0;
  if (isKilled) await killLanding(here, random(KILL_MS));
  const review = await openChanges(here.runDirectory);
  const report = (await review?.apply({ mayWrite: () => null })) ?? { applied: [], refused: [] };
  const listedAfter = (await review?.flagged()) ?? [];
  await review?.close();
  if (transaction !== null) faults.push(...(await transaction.end()));
  here.onHost(`rm -f .git/index.lock .git/HEAD.lock ${REF_LOCKS.join(" ")}; find .git/refs -name '*.lock' -delete`);
  const result = momentOf((script) => here.onHost(script), here.workspace);
  const reasons = [...new Set(report.refused.filter(({ change }) => isOfGit(change.path) && !isNever(change.path)).map(({ reason }) => reason))];
  const outcome = outcomeOf(scene, result.git, reasons, transaction?.ref ?? null);
  faults.push(...outcome.faults);
  if (outcome.kind === "landed" && !isKilled) faults.push(...shownFaults(scene, shown ?? []));
  faults.push(...fileFaults(scene, result.files, new Map(report.refused.map(({ change, reason }) => [change.path, reason]))));
  faults.push(...lostFaults(scene, result.git, [...(shown ?? []), ...listedAfter]));
  const hasCommit = !result.git.hasConflicts && !result.git.isUnderWay && !scene.now.git.isUnderWay;
  faults.push(...wholeFaults(here, result.git, { hasCommit }));
  return { outcome: outcome.kind, isKilled, reasons, faults };
}

type Scene = {
  readonly here: GitWorkspace;
  readonly before: Moment;
  /** As the run left it. */ readonly end: Moment;
  readonly parents: ReadonlyMap<string, readonly string[]>;
  /** What a commit of all that the run left would hold. */ readonly left: ReadonlyMap<string, string>;
  readonly host: Played;
  /** As the person left it. */ readonly now: Moment;
};

function momentOf(shell: (script: string) => string, directory: string): Moment {
  const files = new Map([...readFacts(directory)].filter(([path]) => !isOfGit(path)));
  return { git: stateFrom(shell(TELL_STATE)), files };
}

const isOfGit = (path: string): boolean => path === ".git" || path.startsWith(".git/");
/** What of a `.git` never lands, whatever it says. */
const isNever = (path: string): boolean =>
  /^\.git(?:$|\/(?:config|info|hooks|worktrees|modules|MERGE_|AUTO_MERGE|SQUASH_MSG|FETCH_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|BISECT_|REBASE_HEAD|rebase-|sequencer|gc\.|shallow|objects\/(?:info|pack\/(?!pack-[0-9a-f]+\.(?:pack|idx|rev)$))|refs\/replace|NOTES_))|\.lock$|^\.git\/objects\//u.test(
    path,
  );
/** A worktree or the like that the run made: a repository of its own. */
const isElsewhere = (path: string): boolean => path.startsWith("wt-");

function parentsOf(told: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    told
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [id = "", ...parents] = line.split(" ");
        return [id, parents];
      }),
  );
}

/** The commit of HEAD with what the run changed on the disk, and what it staged of files that it did not change there. */
function leftIn(view: string, { before, end }: { readonly before: Moment; readonly end: Moment }): ReadonlyMap<string, string> {
  const tree = new Map(end.git.committed);
  const changed = new Set([...before.files.keys(), ...end.files.keys()].filter((path) => !isSame(before.files.get(path), end.files.get(path))));
  if (!end.git.hasConflicts && !isMadeWithoutIndex(before.git, end.git))
    for (const path of new Set([...tree.keys(), ...end.git.index.keys()])) {
      const staged = end.git.index.get(path);
      const isTheirs = staged === before.git.index.get(path) && tree.get(path) === before.git.committed.get(path);
      if (changed.has(path) || isTheirs) continue;
      if (staged === undefined) tree.delete(path);
      else tree.set(path, staged);
    }
  const hash = [...tree.values(), ...before.git.committed.values()].some((entry) => entry.length > 60) ? "sha256" : "sha1";
  for (const path of changed) {
    const fact = end.files.get(path);
    if (fact === undefined) tree.delete(path);
    if (fact === undefined || fact.type === "directory" || fact.type === "other") continue;
    const content = fact.type === "link" ? Buffer.from(fact.content, "latin1") : readFileSync(join(view, path));
    const id = createHash(hash)
      .update(`blob ${String(content.length)}\0`)
      .update(content)
      .digest("hex");
    const mode = fact.type === "link" ? "120000" : (fact.mode & 0o100) === 0 ? "100644" : "100755";
    for (const above of ancestorsOf(path)) tree.delete(above);
    tree.set(path, `${mode} ${id}`);
  }
  return tree;
}

/** Null: there is nothing to look at. */
async function look(here: GitWorkspace): Promise<readonly FlaggedChange[] | null> {
  const review = await openChanges(here.runDirectory);
  const shown = (await review?.flagged()) ?? null;
  await review?.close();
  return shown;
}

/** A branch can always be made, holds what the run did, and touches nothing else. */
async function branchFaults({ here, before, end, left, now }: Scene, shown: readonly FlaggedChange[] | null): Promise<readonly string[]> {
  if (shown === null) return [];
  const tip = (state: GitState): string => (state.head.startsWith("ref: ") ? (state.refs.get(state.head.slice(5)) ?? "") : state.head);
  const tree = treeText(ownOf(left));
  const review = await openChanges(here.runDirectory);
  try {
    if (review === null) return [];
    const { branch } = await review.branch({ mayWrite: () => null, branch: BRANCH, trailers: [] });
    const made = here.onHost(`git ls-tree -r --full-tree ${BRANCH}`);
    const found = treeText(
      ownOf(
        new Map(
          made
            .split("\n")
            .flatMap((line) =>
              line === "" ? [] : [[line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t")).replace(/ (?:blob|commit) /u, " ")] as const],
            ),
        ),
      ),
    );
    const faults = found === tree ? [] : [`the branch ${branch} holds\n${found}\ninstead of\n${tree}`];
    const from = realTip(end.git, tip(end.git));
    if (from !== "" && here.onHost(`git merge-base --is-ancestor ${from} ${BRANCH} || echo no`) !== "")
      faults.push("the branch does not hold the run's commits");
    // A lock that the person holds is held against this, too.
    here.onHost(
      `${REF_LOCKS.map((lock, at) => `mv ${lock} ../held-${String(at)} 2> /dev/null || true`).join("; ")}; git update-ref -d refs/heads/${BRANCH}; rmdir .git/refs/heads/warder .git/logs/refs/heads/warder 2> /dev/null || true; ${REF_LOCKS.map((lock, at) => `mv ../held-${String(at)} ${lock} 2> /dev/null || true`).join("; ")}`,
    );
    const after = momentOf((script) => here.onHost(script), here.workspace);
    faults.push(...differences(now.git, after.git).map((difference) => `the branch moved ${difference}`));
    return faults;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // Tables have one lock for all refs.
    if (/cannot lock references/u.test(error.message)) return [];
    const isNothing = tree === treeText(ownOf(before.git.committed)) && tip(end.git) === tip(before.git);
    return isNothing ? [] : [`there is no branch: ${error.message}`];
  } finally {
    await review?.close();
  }
}

/** A name that names another. */
function realTip({ refs }: GitState, tip: string): string {
  return tip.startsWith("-> ") ? (refs.get(tip.slice(3)) ?? "") : tip;
}

/** Without other worktrees, which are repositories of their own. */
function ownOf(tree: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...tree].filter(([path]) => !isElsewhere(path)));
}

async function killLanding(here: GitWorkspace, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [LANDING, here.runDirectory], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
    env: { ...process.env, ...ENV },
  });
  const ended = once(child, "close");
  await once(child.stdout, "data").catch(() => ended);
  await Promise.race([pause(afterMs), ended]);
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  await ended;
}

type Transaction = { readonly ref: string; readonly id: string; end(): Promise<readonly string[]> };

/** A git of the person's that is about to move a branch. */
async function holdBranch(here: GitWorkspace): Promise<Transaction | null> {
  const [ref = "", id = ""] = here
    .onHost(
      "git for-each-ref --count=1 --format='%(refname)' refs/heads/main refs/heads/side; git commit-tree -p HEAD -m theirs HEAD^{tree} 2> /dev/null || true",
    )
    .split("\n");
  if (id === "") return null;
  const child: ChildProcessWithoutNullStreams = spawn("git", ["update-ref", "--no-deref", "--stdin"], { cwd: here.workspace, env: ENV, stdio: "pipe" });
  const ended = once(child, "close");
  let said = "";
  child.stdout.on("data", (part: Buffer) => (said += part.toString()));
  child.stdin.write(`start\nupdate ${ref} ${id}\nprepare\n`);
  while (!said.includes("prepare: ok")) {
    await once(child.stdout, "data").catch(() => ended);
    if (child.exitCode !== null) return null;
  }
  return {
    ref,
    id,
    end: async () => {
      child.stdin.end("commit\n");
      await ended;
      return here.onHost(`git rev-parse ${ref}`).trim() === id ? [] : [`the person's transaction of ${ref} is lost`];
    },
  };
}

const DROPPED = "refs/warder/dropped/";

/** `held`: the branch that a transaction of the person's moves at the end. What became of it says nothing of the landing. */
function outcomeOf(
  { before, end, now, host }: Scene,
  all: GitState,
  reasons: readonly string[],
  held: string | null,
): { kind: Pair["outcome"]; faults: readonly string[] } {
  const only = <Of extends Pick<GitState, "refs" | "head" | "index">>(places: Of) => ({
    ...places,
    refs: new Map([...places.refs].filter(([name]) => name !== held && !name.startsWith(DROPPED))),
  });
  const result = only(all);
  const kept = [...all.refs].filter(([name, id]) => name.startsWith(DROPPED) && !end.git.commits.has(id));
  if (kept.length > 0) return { kind: "landed", faults: [`kept what the run never had: ${kept.join()}`] };
  const [was, wanted] = [only(now.git), only(landed(before.git, end.git, now.git))];
  const [fromNow, fromWanted] = [differences(was, result), differences(wanted, result)];
  const isMove = differences(was, wanted).length > 0;
  if (!isMove) return { kind: "nothing", faults: fromNow.map((difference) => `nothing was to move, and ${difference}`) };
  if (fromWanted.length === 0) return { kind: "landed", faults: reasons.map((reason) => `landed, and said not to: ${reason}`) };
  if (fromNow.length > 0) return { kind: "landed", faults: [`half of it landed: ${fromWanted.join("; ")} (moved: ${fromNow.join("; ")})`, ...reasons] };
  if ([...all.refs.keys()].some((name) => name.startsWith(DROPPED))) return { kind: "held", faults: ["of a run that waits, commits were kept"] };
  const faults = reasons.length === 0 ? [`nothing landed (${fromWanted.join("; ")}), and nothing says why`] : [];
  // git cannot put a directory in the place of a branch, or the other way round, in one transaction.
  const isImpossible = reasons.some((reason) => /exists; cannot create|in another worktree/u.test(reason));
  const isNeedless = isQuiet(host.names) && !end.git.isUnderWay && !end.git.hasConflicts && !isImpossible;
  return { kind: "held", faults: isNeedless ? [...faults, `held back without need: ${reasons.join("; ")}`] : faults };
}

/** What a person reads of refs. */
function linesOf(shown: readonly FlaggedChange[]): readonly string[] {
  return shown.flatMap(({ refs = [] }) => refs.flatMap((ref) => Object.values(ref).flat()));
}

/** Each ref that moved stood in the review, with what it names now; and each staged file. */
function shownFaults({ before, end, now }: Scene, shown: readonly FlaggedChange[]): readonly string[] {
  const lines = linesOf(shown);
  const wanted = landed(before.git, end.git, now.git);
  return [...wanted.refs].flatMap(([name, id]) => {
    if (now.git.refs.get(name) === id) return [];
    return lines.some((line) => line.includes(name) && line.includes(id.slice(0, 12))) ? [] : [`${name} moved to ${id}, and no line of the review says so`];
  });
}

/** Every file is the run's, where only the run changed it; otherwise it is as the person left it. */
function fileFaults({ before, end, now }: Scene, result: Facts, refused: ReadonlyMap<string, string>): readonly string[] {
  const faults: string[] = [];
  for (const path of new Set([...before.files.keys(), ...end.files.keys(), ...now.files.keys(), ...result.keys()])) {
    if (isOfGit(path)) continue;
    const [was, run, theirs, is] = [before.files.get(path), end.files.get(path), now.files.get(path), result.get(path)];
    if (was?.type === "directory" || run?.type === "directory" || theirs?.type === "directory") continue;
    const isTheirs = was?.stamp !== theirs?.stamp;
    const expected = isSame(run, was) || isTheirs || refused.has(path) || ancestorsOf(path).some((above) => refused.has(above)) ? theirs : run;
    if (!isSame(is, expected)) faults.push(`the file ${path}: ${JSON.stringify({ was, run, theirs, is })} ${refused.get(path) ?? ""}`);
  }
  return faults;
}

/** A commit is reachable, or listed: by its own id, or by that of one that leads to it. */
function lostFaults({ before, end, now, parents, here }: Scene, result: GitState, listed: readonly FlaggedChange[]): readonly string[] {
  const text = linesOf(listed).join("\n");
  const named = new Set([...text.matchAll(/[0-9a-f]{12,64}/gu)].map(([id]) => id.slice(0, 12)));
  const held = new Set<string>();
  const pending = [...parents.keys()].filter((id) => named.has(id.slice(0, 12)));
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (held.has(id)) continue;
    held.add(id);
    pending.push(...(parents.get(id) ?? []));
  }
  const lost = [...end.git.commits].filter((id) => !before.git.commits.has(id) && !result.reachable.has(id) && !held.has(id));
  const faults = [...now.git.commits].filter((id) => !result.commits.has(id) && !held.has(id)).map((id) => `the person's commit ${id} is lost`);
  const subjects = lost.length === 0 ? "" : here.onHost(`git log --no-walk --format='%h %s' ${lost.join(" ")} 2>&1 || true`);
  return lost.length === 0 ? faults : [...faults, `commits of the run are in no ref and not listed: ${subjects || lost.join()}`];
}

/** Of all the pairs of a soak. */
export function figuresOf(pairs: readonly Pair[]): Readonly<Record<string, number>> {
  const count = (is: (pair: Pair) => boolean): number => pairs.filter(is).length;
  return {
    pairs: pairs.length,
    operations: new Set(pairs.flatMap(({ run, host }) => [...run, ...host])).size,
    landed: count(({ outcome }) => outcome === "landed"),
    held: count(({ outcome }) => outcome === "held"),
    nothingToLand: count(({ outcome }) => outcome === "nothing"),
    killed: count(({ isKilled }) => isKilled),
    faulty: count(({ faults }) => faults.length > 0),
  };
}
