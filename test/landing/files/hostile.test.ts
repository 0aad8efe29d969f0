import { describe, expect, test } from "vitest";
import { sliceOf } from "../../support/extent.ts";
import { type HostileRun, playHostile } from "../../support/hostile-run.ts";
import { runsRootTests } from "../../support/root.ts";

/** Sets an extended attribute, where the file system and the overlay let it. */
const ATTRIBUTE = `attribute() { python3 -c 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3]))' "$@" 2> /dev/null || true; }`;
const CAPABILITY = "0100000200040000000000000000000000000000";

/** What of the files is refused stays as it was; all else is as the run had it. The repository stays in each. */
const RUNS: Readonly<Record<string, Omit<HostileRun, "ends">>> = {
  "a forbidden file under another name": { before: "echo kept > forbidden", run: "ln forbidden x; echo evil > x", says: /Forbidden/u },
  "a forbidden file that is moved away": { before: "echo kept > forbidden", run: "mv forbidden x", says: /Forbidden/u },
  "a directory with a forbidden file": { before: "mkdir d; echo kept > d/forbidden; echo x > d/x", run: "rm -r d; echo d > d", says: /Forbidden/u },
  "pipes, sockets and devices": {
    run: "mkfifo p; mknod c c 1 3; mknod k b 7 0; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'; echo x > x",
    says: /Devices, pipes and sockets are not applied/u,
  },
  "a file that is a hole": { run: "truncate -s 1G hole; echo x > x", says: /mostly a hole/u },
  "bits that give rights": { run: "cp /bin/true t; chmod 6755 t; mkdir d; chmod 1777 d; chmod 2755 d", says: /these bits do not land/u },
  "a capability on a program": { run: `${ATTRIBUTE}; cp /bin/true t; attribute t security.capability ${CAPABILITY}` },
  "attributes that overlays obey": {
    before: "mkdir d; echo x > d/x",
    run: `${ATTRIBUTE}; echo y > d/y; for n in trusted user; do attribute d $n.overlay.opaque 79; attribute d $n.overlay.redirect 2f6574; attribute d/y $n.overlay.metacopy 00; attribute d/y $n.overlay.origin 00; done`,
  },
  "times out of range": { run: "echo x > x; touch -d @-2147483648 x; echo y > y; touch -d @15032385535 y; touch -d @0 a" },
  "one letter in two ways of writing it": { run: "echo 1 > $'\\u00e9'; echo 2 > $'e\\u0301'; echo 3 > $'\\ufb01'; echo 4 > fi" },
  "letters that turn or hide a name": { run: "echo 1 > $'a\\u202etxt.exe'; echo 2 > $'a\\u200b'; echo 3 > $'\\ufeffa'; echo 4 > $'\\u2028'" },
  "control characters in names": { run: "echo 1 > $'a\\nb'; echo 2 > $'a\\tb'; echo 3 > $'\\x1b[2J'; echo 4 > $'\\x7f'; echo 5 > $'\\x01'; echo 6 > $'a\\rb'" },
  "names that are no UTF-8": { run: "echo 1 > $'\\xff'; mkdir $'\\xc3'; echo 2 > $'\\xc3/x'; echo x > x", says: /not UTF-8/u },
  "names that shells obey": {
    run: "for n in '-rf' '~' '$(touch canary)' '`id`' ';id' '*' '|x' '&' '>x' \"'\" '\"' '\\' '#x' '{a,b}'; do echo x > \"./$n\"; done",
  },
  "names that are long, and deep": {
    run: "echo x > $(printf 'n%.0s' $(seq 255)); p=.; for i in $(seq 120); do p=$p/directory; done; mkdir -p $p; echo x > $p/x",
  },
  "names that differ in case": { run: "echo 1 > A; mkdir D; echo 2 > D/x; mkdir d; echo 3 > d/X; echo 4 > d/x" },
  "blanks and dots at the end of names": { run: "echo 1 > 'a '; echo 2 > 'a.'; echo 3 > 'a:b'; echo 4 > CON; echo 5 > ' a'" },
  "names that file systems take for `.git`": {
    run: "for n in .GIT .git. '.git ' git~1 GIT~1 $'.g\\u200cit' '.git::$INDEX_ALLOCATION' '.git\\hooks'; do mkdir \"$n\"; printf '#!/bin/sh\\ntouch canary' > \"$n/pre-commit\"; done; echo x > x",
    says: /take it for a repository's own files/u,
  },
  "a repository in the repository": {
    run: 'git init -q n; cd n; git config user.email a@b; git config user.name A; echo x > x; git add x; git commit -qm n; git config core.fsmonitor "touch $CANARY"',
    says: /not created, removed or replaced/u,
  },
  "a file that leads git elsewhere": {
    run: "mkdir n; echo 'gitdir: ../evil' > n/.git; mkdir -p evil/objects evil/refs; echo 'ref: refs/heads/x' > evil/HEAD; echo '[core]' > evil/config",
  },
  "links that leave": {
    run: "ln -s /etc/passwd p; ln -s ../../../../etc q; ln -s /proc/self/root r; ln -s p s; mkdir d; ln -s ../../x d/t; ln -s . here; echo x > x",
    says: /points out of the workspace/u,
  },
  "links that lead into git": { run: "ln -s .git/hooks h; ln -s .git g; mkdir d; ln -s ../.git/config d/c" },
  "links in circles, and to nothing": {
    run: "ln -s b2 a2; ln -s a2 b2; ln -s self self; ln -s nowhere n; ln -s $'new\\nline' l; ln -s $(printf 'x/%.0s' $(seq 2000)) long",
  },
  "a link in the place of a directory": { before: "mkdir d; echo x > d/x", run: "rm -r d; ln -s /etc d", says: /points out/u },
  "a link in the place of a file, and back": { before: "ln -s a l; echo f > f", run: "rm l f; echo l > l; ln -s a f" },
  "a directory in the place of a file, and back": { before: "mkdir d; echo x > d/x; echo f > f", run: "rm -r d f; echo d > d; mkdir f; echo x > f/x" },
  "a directory that was emptied and filled": { before: "mkdir d; echo x > d/x; echo y > d/y", run: "rm -r d; mkdir d; echo z > d/z; echo other > d/y" },
  "a directory that was moved": { before: "mkdir -p d/e; echo x > d/e/x", run: "mv d moved; echo y > moved/e/y" },
  "what nobody may open": { run: "echo x > x; chmod 000 x; mkdir d; echo y > d/y; chmod 000 d; echo z > z; chmod 666 z" },
  "one file under several names": { before: "echo p > p; ln p q", run: "echo x > x; ln x y; mkdir d; ln x d/z; echo evil > p", says: /hard links/u },
  "names of layers, and of Warder's own files": {
    run: "echo 1 > .wh.a; mkdir d; echo 2 > d/.wh..wh..opq; echo 3 > .warder-0123456789abcdef.tmp; mknod w c 0 0 2> /dev/null || true; echo x > x",
  },
  "bytes that nobody sees": { run: "printf 'a\\0b' > n; printf '\\xef\\xbb\\xbfx' > m; printf 'x\\r\\ny\\r' > r; : > empty; printf '\\xff\\xfe' > u" },
};

describe.runIf(runsRootTests)("a run that is hostile to files", () => {
  test.each(sliceOf(Object.keys(RUNS), 6))("%s: what was shown lands, byte for byte, and all else stays", async (name) => {
    const run = RUNS[name];
    if (run === undefined) throw new Error(name);
    expect(await playHostile({ ...run, ends: "stays" })).toEqual([]);
  });
});
