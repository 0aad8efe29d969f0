import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Git adds no line to a message by configuration alone, so a hook does, of a directory that stands in the place of the repository's own hooks. Each hook in it calls the
// repository's own of that name first (githooks(5)).

/** Without those that change what git does by being there: push-to-checkout, proc-receive, fsmonitor-watchman. */
const HOOKS = [
  ..."applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout".split(" "),
  ..."post-merge pre-push pre-receive update post-receive post-update pre-auto-gc post-rewrite sendemail-validate".split(" "),
];

/** Started several times by each command of git: there only where the repository has one. */
const FREQUENT_HOOKS = ["reference-transaction", "post-index-change"];

/** A message without text is left alone: git asks for one, or refuses it. */
const SCRIPT = (trailer: string): string => `#!/bin/sh
# Runs the repository's own hook of this name. Then the message of a commit gets the line that names the run.
name=\${0##*/}
hooks=$(GIT_CONFIG_COUNT=0 git rev-parse --git-path hooks) || exit 1
case $hooks in
  /.warder/*) own= ;;
  *) own=$hooks/$name ;;
esac
case $name in
  prepare-commit-msg | commit-msg) ;;
  *) [ -x "$own" ] || exit 0
    exec "$own" "$@" ;;
esac
if [ -x "$own" ]; then "$own" "$@" || exit; fi
grep -qv '^[[:space:]]*\\(#.*\\)\\{0,1\\}$' "$1" || exit 0
# Of a merge, the last line has no end, and what follows would belong to it.
[ -z "$(tail -c 1 "$1")" ] || echo >>"$1"
exec git interpret-trailers --in-place --if-exists addIfDifferent --trailer '${trailer}' "$1"
`;

/** Makes a directory of hooks that name a run in the messages of its commits. `own`: the repository's directory of hooks. */
export function layRunHooks(directory: string, { trailer, own }: { readonly trailer: string; readonly own: string }): void {
  if (!/^[\w-]+: [\w-]+$/u.test(trailer)) throw new TypeError(`"${trailer}" is no trailer.`);
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o755);
  for (const name of [...HOOKS, ...FREQUENT_HOOKS.filter((hook) => existsSync(join(own, hook)))]) {
    const file = join(directory, name);
    writeFileSync(file, SCRIPT(trailer));
    chmodSync(file, 0o755);
  }
}
