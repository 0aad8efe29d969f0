import type { Random } from "../random-changes.ts";

// What a run, or a person meanwhile, does with git: each operation is a script of bash that a seed fills in. What the repository does not allow at that moment
// fails, as it does for people, and the next one follows.

/** What an operation is filled in with. */
export type Draw = {
  readonly random: Random;
  /** A number that no other operation of the pair has. */ readonly serial: number;
  /** Whose turn it is: names that only one side uses begin so. */ readonly side: "run" | "host";
};

type Operation = {
  readonly script: (draw: Draw) => string;
  /** The person's doing this keeps nothing of a run's from landing. */ readonly isQuiet?: true;
  /** Only a person does this: what it leaves is a lock, or another place of the machine. */ readonly isHostOnly?: true;
};

const FILES = ["a", "b", "d/e", "d/f", "g"];
const BRANCHES = ["main", "side", "topic"];

const fileOf = ({ random }: Draw): string => FILES[random(FILES.length)] ?? "a";
const branchOf = ({ random }: Draw): string => BRANCHES[random(BRANCHES.length)] ?? "main";
const ownName = ({ side, serial }: Draw): string => `${side}-${String(serial)}`;
const lineOf = ({ side, serial, random }: Draw): string => `${side} ${String(serial)} ${String(random(1000))}`;
const append = (draw: Draw): string => `echo '${lineOf(draw)}' >> ${fileOf(draw)}`;
/** Two commits from one that change the same line. */
const diverge = (draw: Draw): string =>
  `git branch ${ownName(draw)}; echo '${lineOf(draw)}' > a; git commit -qam mine-${ownName(draw)}; git checkout -q ${ownName(draw)}; echo '${lineOf(draw)} other' > a; git commit -qam other-${ownName(draw)}`;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  // Files.
  edit: { script: append },
  "edit several": { script: (draw) => `${append(draw)}; ${append(draw)}; ${append(draw)}` },
  create: { script: (draw) => `echo '${lineOf(draw)}' > new-${ownName(draw)}` },
  delete: { script: (draw) => `rm -f ${fileOf(draw)}` },
  chmod: { script: (draw) => `chmod ${draw.random(2) === 0 ? "755" : "644"} ${fileOf(draw)}` },
  "link in place of a file": { script: (draw) => `rm -f g; ln -s ${fileOf(draw)} g` },
  "directory in place of a file": { script: (draw) => `rm -rf g; mkdir g; echo '${lineOf(draw)}' > g/h` },
  touch: { script: () => "touch a b d/e", isQuiet: true },
  look: { script: () => "git status; git diff; git log -1", isQuiet: true },
  // The index.
  add: { script: (draw) => `${append(draw)}; git add ${fileOf(draw)}` },
  "add all": { script: (draw) => `echo '${lineOf(draw)}' > new-${ownName(draw)}; git add -A` },
  "intent to add": { script: (draw) => `echo '${lineOf(draw)}' > new-${ownName(draw)}; git add -N new-${ownName(draw)}` },
  "staged mode": { script: (draw) => `git update-index --chmod=+x ${fileOf(draw)}` },
  rm: { script: (draw) => `git rm -qf ${fileOf(draw)}` },
  "rm --cached": { script: (draw) => `git rm -q --cached ${fileOf(draw)}` },
  mv: { script: (draw) => `git mv ${fileOf(draw)} moved-${ownName(draw)}` },
  "assume unchanged": { script: (draw) => `git update-index --assume-unchanged ${fileOf(draw)}; ${append(draw)}` },
  "skip worktree": { script: (draw) => `git update-index --skip-worktree ${fileOf(draw)}` },
  restore: { script: (draw) => `git restore --source=HEAD~1 --staged --worktree ${fileOf(draw)}` },
  "split index": { script: () => "git config core.splitIndex true; git update-index --split-index; git status", isQuiet: true },
  "untracked cache": { script: () => "git config core.untrackedCache true; git update-index --untracked-cache; git status", isQuiet: true },
  "many files": { script: () => "git config feature.manyFiles true; git update-index --index-version 4; git status", isQuiet: true },
  "sparse checkout": { script: () => "git sparse-checkout set d" },
  "no sparse checkout": { script: () => "git sparse-checkout disable" },
  submodule: { script: (draw) => `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub-${ownName(draw)}` },
  // Commits.
  commit: { script: (draw) => `${append(draw)}; git commit -qam ${ownName(draw)}` },
  "commit what is staged": { script: (draw) => `git commit -qm ${ownName(draw)}` },
  "commit a new file": { script: (draw) => `echo '${lineOf(draw)}' > new-${ownName(draw)}; git add new-${ownName(draw)}; git commit -qm ${ownName(draw)}` },
  "empty commit": { script: (draw) => `git commit -q --allow-empty -m ${ownName(draw)}` },
  amend: { script: (draw) => `${append(draw)}; git commit -qa --amend -m amended-${ownName(draw)}` },
  revert: { script: () => "git revert --no-edit HEAD || git revert --abort" },
  "commit without an index": {
    script: (draw) => `git update-ref refs/heads/${branchOf(draw)} $(git commit-tree -p HEAD -m ${ownName(draw)} HEAD^{tree})`,
  },
  stash: { script: (draw) => `${append(draw)}; git stash -q` },
  "stash with new files": { script: (draw) => `echo '${lineOf(draw)}' > new-${ownName(draw)}; git stash -qu` },
  "stash pop": { script: () => "git stash pop -q" },
  "stash drop": { script: () => "git stash drop -q" },
  // Histories.
  rebase: { script: (draw) => `git rebase -q ${branchOf(draw)} || git rebase --abort` },
  "rebase that stops in a conflict": { script: (draw) => `${diverge(draw)}; git rebase -q -` },
  "rebase that stops to edit": { script: () => "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1" },
  "rebase goes on": { script: () => "git add -A; git rebase --continue || git rebase --skip" },
  "rebase is given up": { script: () => "git rebase --abort" },
  merge: { script: (draw) => `git merge -q --no-edit ${branchOf(draw)} || git merge --abort` },
  "merge without fast-forward": { script: (draw) => `git merge -q --no-ff --no-edit ${branchOf(draw)} || git merge --abort` },
  "merge in conflict": { script: (draw) => `${diverge(draw)}; git merge -q --no-edit -` },
  "merge is concluded": { script: () => "git add -A; git commit -q --no-edit" },
  "merge --squash": { script: (draw) => `git merge -q --squash ${branchOf(draw)}` },
  "cherry-pick": { script: (draw) => `git cherry-pick ${branchOf(draw)} || git cherry-pick --abort` },
  "cherry-pick in conflict": { script: (draw) => `${diverge(draw)}; git cherry-pick -` },
  bisect: { script: () => "git bisect start; git bisect bad; git bisect good HEAD~2" },
  "bisect is given up": { script: () => "git bisect reset" },
  "reset --soft": { script: () => "git reset -q --soft HEAD~1" },
  "reset --mixed": { script: () => "git reset -q HEAD~1" },
  "reset --hard": { script: () => "git reset -q --hard HEAD~1" },
  // Refs.
  branch: { script: (draw) => `git branch new-${ownName(draw)}`, isQuiet: true },
  "branch -f": { script: (draw) => `git branch -f ${branchOf(draw)} HEAD` },
  "branch -D": { script: (draw) => `git branch -D ${branchOf(draw)}` },
  "branch -m": { script: (draw) => `git branch -m renamed-${ownName(draw)}` },
  "directory of branches": { script: (draw) => `git branch -D topic; git branch topic/${ownName(draw)}` },
  switch: { script: (draw) => `git switch -q ${branchOf(draw)}` },
  "switch -c": { script: (draw) => `git switch -qc work-${ownName(draw)}` },
  "checkout by force": { script: (draw) => `git checkout -qf ${branchOf(draw)}` },
  detach: { script: () => "git checkout -q --detach" },
  orphan: { script: (draw) => `git checkout -q --orphan orphan-${ownName(draw)}` },
  "symbolic HEAD": { script: (draw) => `git symbolic-ref HEAD refs/heads/${branchOf(draw)}` },
  "symbolic ref": { script: (draw) => `git symbolic-ref refs/heads/alias-${draw.side} refs/heads/${branchOf(draw)}` },
  tag: { script: (draw) => `git tag v-${ownName(draw)}`, isQuiet: true },
  "annotated tag": { script: (draw) => `git tag -a w-${ownName(draw)} -m w`, isQuiet: true },
  "tag of both": { script: () => "git tag -f both" },
  "tag -d": { script: () => "git tag -d one" },
  notes: { script: (draw) => `git notes add -f -m '${lineOf(draw)}'` },
  fetch: { script: (draw) => `git fetch -q . HEAD:refs/remotes/${draw.side}/x`, isQuiet: true },
  replace: { script: () => "git replace -f HEAD HEAD~1; git replace -d HEAD~0" },
  "worktree add": { script: (draw) => `git worktree add -q ${draw.side === "run" ? "" : "../"}wt-${ownName(draw)} ${branchOf(draw)}` },
  "worktree prune": { script: () => "git worktree prune", isQuiet: true },
  "pack refs": { script: () => "git pack-refs --all --prune", isQuiet: true },
  gc: { script: () => "git gc -q", isQuiet: true },
  repack: { script: () => "git repack -adq; git prune-packed", isQuiet: true },
  "commit graph": { script: () => "git commit-graph write --reachable; git multi-pack-index write", isQuiet: true },
  "expired logs": { script: () => "git reflog expire --expire=now --all" },
  // What a git that was killed leaves, or one that works holds.
  "index.lock": { script: () => "touch .git/index.lock" },
  "HEAD.lock": { script: () => "touch .git/HEAD.lock" },
  "lock of a branch": { script: (draw) => `touch .git/refs/heads/${branchOf(draw)}.lock` },
  "packed-refs.lock": { script: () => "touch .git/packed-refs.lock; test ! -s .git/reftable/tables.list || touch .git/reftable/tables.list.lock" },
  /** Held by a process while the run lands (play.ts). */
  transaction: { script: () => "true", isHostOnly: true },
};

export type Played = { readonly names: readonly string[]; readonly script: string };

/** Some operations, one after the other, each with a time of its own so that a seed makes the same commits. */
export function drawOperations(random: Random, side: Draw["side"], count: number): Played {
  const names = Object.keys(OPERATIONS).filter((name) => side === "host" || OPERATIONS[name]?.isHostOnly !== true);
  const chosen = Array.from({ length: count }, () => names[random(names.length)] ?? "look");
  const start = side === "run" ? 1_700_100_000 : 1_700_200_000;
  const parts = chosen.map((name, serial) => {
    const date = `@${String(start + 60 * serial)} +0000`;
    const script = OPERATIONS[name]?.script({ random, serial, side }) ?? "true";
    return `export GIT_AUTHOR_DATE='${date}' GIT_COMMITTER_DATE='${date}'\n{ ${script}; } < /dev/null > /dev/null 2>&1 || true`;
  });
  return { names: chosen, script: parts.join("\n") };
}

/** Whether nothing that the person did can keep a run's work from landing. */
export function isQuiet(names: readonly string[]): boolean {
  return names.every((name) => OPERATIONS[name]?.isQuiet === true);
}
