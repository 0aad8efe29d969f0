import { describe, expect, test } from "vitest";
import { sliceOf } from "../../support/extent.ts";
import { type HostileRun, playHostile } from "../../support/hostile-run.ts";
import { runsRootTests } from "../../support/root.ts";

const COMMIT = "echo c > c; git add c; git commit -qm three";
/** A tree object as it stands: `MODE NAME ID`, in the order given. */
const TREE = `tree() { python3 -c '
import sys
out = b""
for entry in sys.argv[1:]:
    mode, name, id = entry.split("|")
    out += mode.encode() + b" " + name.encode("latin1", "surrogateescape") + b"\\0" + bytes.fromhex(id)
sys.stdout.buffer.write(out)' "$@" | git hash-object -t tree --literally -w --stdin; }; blob=$(git hash-object -w a); point() { git update-ref refs/heads/main $(git commit-tree -p HEAD -m three $1); }`;

const RUNS: Readonly<Record<string, HostileRun>> = {
  "objects in a store that only alternates name": {
    run: `mkdir -p alt .git/objects/info; echo "$PWD/alt" > .git/objects/info/alternates; GIT_ALTERNATE_OBJECT_DIRECTORIES=.git/objects GIT_OBJECT_DIRECTORY=alt git commit -q --allow-empty -m three`,
    ends: "stays",
    says: /not there|bad object|refuses/u,
  },
  "alternates over HTTP": { run: `${COMMIT}; mkdir -p .git/objects/info; echo http://127.0.0.1:1/ > .git/objects/info/http-alternates`, ends: "moves" },
  "a replaced commit": { run: `${COMMIT}; git replace HEAD HEAD~2`, ends: "moves", says: /Replaced objects are not applied/u },
  "a replaced file": { run: `${COMMIT}; git replace $(git rev-parse HEAD:a) $(git rev-parse HEAD:b)`, ends: "moves", says: /Replaced objects/u },
  grafts: { run: `${COMMIT}; mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts`, ends: "moves", says: /info\/grafts|\.git\/info/u },
  "a shallow history": { run: `${COMMIT}; git rev-parse HEAD > .git/shallow`, ends: "moves", says: /\.git\/shallow steers/u },
  "a common directory elsewhere": {
    run: `mkdir evil; cp -r .git/objects .git/refs .git/HEAD .git/config evil; echo ../evil > .git/commondir; ${COMMIT}`,
    ends: "stays",
    says: /\.git\/commondir steers/u,
  },
  "a link in the place of `.git`": { wasFault: true, run: `mv .git real; ln -s real .git; ${COMMIT}`, ends: "stays", says: /no directory any more/u },
  "a file in the place of `.git`": { run: `mv .git real; echo 'gitdir: real' > .git; ${COMMIT}`, ends: "stays", says: /no directory any more/u },
  "configuration of the worktree": {
    run: `${COMMIT}; git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "touch $CANARY"`,
    ends: "moves",
    says: /config\.worktree steers/u,
  },
  "configuration that starts programs": {
    run: `${COMMIT}; for k in core.fsmonitor core.sshCommand core.pager gpg.program filter.x.clean diff.external uploadpack.packObjectsHook core.alternateRefsCommand; do git config $k "touch $CANARY; true"; done; printf '* filter=x\\n' > .gitattributes`,
    ends: "moves",
    says: /\.git\/config steers/u,
  },
  "every hook": {
    run: `${COMMIT}; mkdir -p .git/hooks; for h in pre-commit commit-msg post-commit post-checkout reference-transaction post-index-change pre-auto-gc fsmonitor-watchman post-rewrite; do printf "#!/bin/sh\\ntouch $CANARY\\n" > .git/hooks/$h; chmod +x .git/hooks/$h; done`,
    ends: "moves",
    says: /\.git\/hooks steers/u,
  },
  "attributes and ignored files of the repository": {
    run: `${COMMIT}; mkdir -p .git/info; echo '* filter=x diff=x merge=x' > .git/info/attributes; echo 'c' > .git/info/exclude; echo '/*' > .git/info/sparse-checkout`,
    ends: "moves",
  },
  "peeled lines that lie": {
    run: `${COMMIT}; git tag -a v1 -m v1 HEAD~1; git pack-refs --all; sed -i "s/^^.*/^$(git rev-parse HEAD)/" .git/packed-refs`,
    ends: "moves",
  },
  "packed refs that say they are sorted": {
    run: `git pack-refs --all; one=$(git rev-parse HEAD~1); { echo '# pack-refs with: peeled fully-peeled sorted '; echo "$one refs/heads/z"; tail -n +2 .git/packed-refs; echo "$one refs/heads/b"; } > p; mv p .git/packed-refs`,
    ends: "moves",
  },
  "a commit-graph of nonsense": { run: `${COMMIT}; mkdir -p .git/objects/info; head -c 4096 /dev/urandom > .git/objects/info/commit-graph`, ends: "moves" },
  "a commit-graph that says other parents": {
    run: `git commit-graph write --reachable; cp .git/objects/info/commit-graph g; ${COMMIT}; git commit-graph write --reachable; chmod u+w .git/objects/info/commit-graph; cp g .git/objects/info/commit-graph; rm g`,
    ends: "moves",
  },
  "indexes of packs that lie": {
    run: `${COMMIT}; git repack -adq; git multi-pack-index write; for f in .git/objects/pack/*.idx; do chmod u+w $f; head -c 2000 /dev/urandom > $f; touch \${f%.idx}.promisor \${f%.idx}.keep; head -c 200 /dev/urandom > \${f%.idx}.bitmap; head -c 200 /dev/urandom > \${f%.idx}.rev; done`,
    ends: "moves",
  },
  "a pack that promises what it lacks": {
    run: `${COMMIT}; git repack -adq; touch .git/objects/pack/$(basename .git/objects/pack/*.pack .pack).promisor; git config extensions.partialClone o; echo x > x; id=$(git hash-object -w x); git update-index --add --cacheinfo 100644,$id,x; git commit -qm four; rm .git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)`,
    ends: "stays",
  },
  "logs of nonsense": {
    run: `${COMMIT}; printf 'x\\n\\0\\377garbage\\n' >> .git/logs/HEAD; printf '%040d %040d A <a> 1 +0\\tx\\ny\\n' 1 2 >> .git/logs/refs/heads/main`,
    ends: "moves",
  },
  "logs that are links": { run: `${COMMIT}; rm -r .git/logs; ln -s /etc .git/logs`, ends: "moves" },
  "names of refs that are none": {
    run: `id=$(git rev-parse HEAD); for n in 'a b' 'x..y' '-x' '@{1}' 'a~1' 'x.lock' $'a\\001' $'\\377' 'HEAD' 'refs/heads/main'; do mkdir -p "$(dirname ".git/refs/heads/$n")"; echo $id > ".git/refs/heads/$n"; done; git tag fine`,
    ends: "moves",
  },
  "a branch that names another": {
    wasFault: true,
    run: `${COMMIT}; git symbolic-ref refs/heads/main refs/heads/side`,
    ends: "moves",
    keepsHead: true,
    says: /names another ref/u,
  },
  "branches that name each other": {
    run: `git branch x; git symbolic-ref refs/heads/x refs/heads/y; git symbolic-ref refs/heads/y refs/heads/x; ${COMMIT}`,
    ends: "moves",
  },
  "a branch that names a file of git": {
    run: `${COMMIT}; echo 'ref: ../../config' > .git/refs/heads/x; echo 'ref: refs/../../a' > .git/refs/heads/y`,
    ends: "moves",
  },
  "a branch that is a link": {
    run: `${COMMIT}; ln -s /etc/passwd .git/refs/heads/l; ln -s main .git/refs/heads/m`,
    ends: "moves",
    says: /Links and special files/u,
  },
  "refs that are a link": { wasFault: true, run: `${COMMIT}; mv .git/refs r; ln -s ../r .git/refs`, ends: "stays" },
  "pipes among refs": { run: `mkfifo .git/refs/heads/p; mkfifo .git/p; ${COMMIT}`, ends: "moves", says: /special files/u },
  "a directory in the place of a branch": {
    run: `git checkout -q --detach; git branch -D main -q; git branch main/x; ${COMMIT}`,
    ends: "stays",
    says: /cannot create/u,
  },
  "a stash that is none": {
    run: `git update-ref refs/stash HEAD~1; git update-ref refs/bisect/bad HEAD; git update-ref refs/notes/commits HEAD~1; git update-ref refs/worktree/x HEAD`,
    ends: "moves",
  },
  "heads of commands that are not there": {
    run: `${COMMIT}; for n in FETCH_HEAD MERGE_MSG SQUASH_MSG AUTO_MERGE ORIG_HEAD; do git rev-parse HEAD~1 > .git/$n; done`,
    ends: "moves",
  },
  "a merge that was never begun": { run: `${COMMIT}; git rev-parse side > .git/MERGE_HEAD`, ends: "stays", says: /a merge is under way/u },
  "HEAD at a tree": { run: `id=$(git rev-parse HEAD^{tree}); echo $id > .git/HEAD`, ends: "stays" },
  "HEAD at a tag": { wasFault: true, run: `git tag v1; echo 'ref: refs/tags/v1' > .git/HEAD`, ends: "stays", says: /is no branch/u },
  "HEAD out of refs": { run: `echo 'ref: refs/../config' > .git/HEAD; echo c > c`, ends: "stays" },
  "a sparse index of version 4": {
    before: "mkdir d e; echo d > d/d; echo e > e/e; git add .; git commit -qm d",
    run: `git sparse-checkout init --cone --sparse-index; git sparse-checkout set d; git update-index --index-version 4; ${COMMIT}`,
    ends: "moves",
  },
  "a split index": { run: `git update-index --split-index; ${COMMIT}; echo s > s; git add s; echo t > t; git add -N t`, ends: "moves" },
  "flags that hide a file": { run: `git update-index --assume-unchanged a; git update-index --skip-worktree b; echo evil > a; ${COMMIT}`, ends: "moves" },
  "a tree with `.GIT` in it": {
    run: `${TREE}; point $(tree "40000|.GIT|$(git rev-parse HEAD^{tree})" "100644|a|$blob")`,
    ends: "stays",
    says: /refuses an object/u,
  },
  "a tree with a short name of `.git` in it": {
    run: `${TREE}; point $(tree "100644|a|$blob" "40000|git~1|$(git rev-parse HEAD^{tree})")`,
    ends: "stays",
    says: /refuses an object/u,
  },
  "names with backslashes and streams": {
    run: `id=$(git hash-object -w a); for n in '.git\\\\config' '.git::$INDEX_ALLOCATION/config' 'git~1/config' '.git /config'; do printf '100644 %s\\t%s\\n' $id "$n"; done | git -c core.protectNTFS=false update-index --index-info; git -c core.protectNTFS=false commit -qm three`,
    ends: "stays",
  },
  "a tree with `.git` in it": { run: `${TREE}; point $(tree "100644|.git|$blob" "100644|a|$blob")`, ends: "stays", says: /refuses an object/u },
  "a tree with `..` in it": {
    run: `${TREE}; point $(tree "40000|..|$(git rev-parse HEAD^{tree})" "100644|a|$blob")`,
    ends: "stays",
    says: /refuses an object/u,
  },
  "a tree with one name twice": { run: `${TREE}; point $(tree "100644|a|$blob" "100644|a|$blob")`, ends: "stays", says: /refuses an object/u },
  "a tree in no order": { run: `${TREE}; point $(tree "100644|b|$blob" "100644|a|$blob")`, ends: "stays", says: /refuses an object/u },
  "a tree with a slash in a name": { run: `${TREE}; point $(tree "100644|../../x|$blob")`, ends: "stays", says: /refuses an object/u },
  "a tree with a mode of its own": { run: `${TREE}; point $(tree "100777|a|$blob" "104755|b|$blob")`, ends: "moves" },
  "a submodule whose address is an option": {
    run: `printf '[submodule "x"]\\n\\tpath = x\\n\\turl = --upload-pack=touch\\n' > .gitmodules; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),x; git add .gitmodules; git commit -qm three`,
    ends: "stays",
    says: /refuses an object/u,
  },
  "submodules' names that leave": {
    run: `printf '[submodule "../../x"]\\n\\tpath = x\\n\\turl = ./x\\n' > .gitmodules; git add .gitmodules; git commit -qm three`,
    ends: "stays",
    says: /refuses an object/u,
  },
  "a link for a list of submodules": { run: `${TREE}; point $(tree "120000|.gitmodules|$blob" "100644|a|$blob")`, ends: "stays", says: /refuses an object/u },
  "a commit without an author": {
    run: `id=$(printf 'tree %s\\n\\nx\\n' $(git rev-parse HEAD^{tree}) | git hash-object -t commit --literally -w --stdin); printf $id > .git/refs/heads/main`,
    ends: "stays",
  },
  "a tag of another type than it says": {
    run: `id=$(printf 'object %s\\ntype blob\\ntag v1\\ntagger A <a@b> 1 +0000\\n\\nx\\n' $(git rev-parse HEAD) | git hash-object -t tag --literally -w --stdin); echo $id > .git/refs/tags/v1`,
    ends: "stays",
  },
  "a branch at a tag": { run: `git tag -a v1 -m v1; git rev-parse v1 > .git/refs/heads/x`, ends: "stays", says: /is no commit/u },
  "another worktree that was never made": {
    run: `mkdir -p .git/worktrees/x; echo /etc/.git > .git/worktrees/x/gitdir; echo ../.. > .git/worktrees/x/commondir; git rev-parse HEAD > .git/worktrees/x/HEAD; ${COMMIT}`,
    ends: "moves",
    says: /another worktree/u,
  },
  "a submodule's repository": {
    run: `git init -q --bare .git/modules/x; git config -f .git/modules/x/config core.fsmonitor "touch $CANARY"; ${COMMIT}`,
    ends: "moves",
    says: /steers git in a submodule/u,
  },
  "addresses in files of older gits": {
    run: `mkdir -p .git/remotes .git/branches .git/rr-cache/x; echo 'URL: ext::sh -c touch' > .git/remotes/origin; echo /etc > .git/branches/x; echo x > .git/rr-cache/x/postimage; ${COMMIT}`,
    ends: "moves",
  },
  "another kind of hash": { run: `${COMMIT}; git config core.repositoryformatversion 1; git config extensions.objectformat sha256`, ends: "moves" },
  "refs that were put into tables": {
    wasFault: true,
    before: "git pack-refs --all",
    run: `${COMMIT}; rm -r .git/refs .git/packed-refs .git/logs; mkdir .git/refs .git/reftable; echo x > .git/refs/heads; echo 0x0-0x0.ref > .git/reftable/tables.list; echo 'ref: refs/heads/.invalid' > .git/HEAD`,
    ends: "stays",
    says: /stored in another way/u,
  },
  "another kind of storage": {
    run: `${COMMIT}; git config core.repositoryformatversion 1; git config extensions.refstorage reftable; mkdir .git/reftable; echo 0x0-0x0.ref > .git/reftable/tables.list`,
    ends: "moves",
  },
};

const names = Object.keys(RUNS);
const found = names.filter((name) => RUNS[name]?.wasFault === true);

describe.runIf(runsRootTests)("a run that is hostile to git", () => {
  test.each([...new Set([...found, ...sliceOf(names, 8)])])("%s: what moves is what was shown, and git works", async (name) => {
    const run = RUNS[name];
    if (run === undefined) throw new Error(name);
    expect(await playHostile(run)).toEqual([]);
  });
});
