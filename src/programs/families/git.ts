/** git 2.39: one line for each subcommand, because the same letter means different things in them. */
export const git = `
@diff = -p -u --patch -s --no-patch -U,--unified=text? --output=write --output-indicator-new=text --output-indicator-old=text --output-indicator-context=text --raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored=text --diff-algorithm=text --stat=text? --stat-width=text --stat-count=text --stat-name-width=text --stat-graph-width=text --dirstat-by-file=text? --compact-summary --numstat --shortstat -X=text? --dirstat=text? --cumulative --summary --patch-with-stat -z --name-only --name-status --submodule=(short|log)? --color=text? --no-color --color-moved=text? --no-color-moved --color-moved-ws=text --word-diff=text? --word-diff-regex=text --color-words=text? --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight=text --full-index --binary --abbrev=text? --no-abbrev -B=text? --break-rewrites=text? -M=text? --find-renames=text? -C=text? --find-copies=text? --find-copies-harder -D --irreversible-delete -l=text --diff-filter=text -S=text -G=text --find-object=text --pickaxe-all --pickaxe-regex -O=read --skip-to=text --rotate-to=text -R --relative=text? --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I=text --ignore-matching-lines=text --inter-hunk-context=text -W --function-context --exit-code --quiet --ext-diff!runs-code --no-ext-diff --textconv!runs-code --no-textconv --ignore-submodules=text? --src-prefix=text --dst-prefix=text --no-prefix --default-prefix --line-prefix=text --ita-invisible-in-index --ita-visible-in-index -c --cc --combined-all-paths --diff-merges=text --no-diff-merges -t -r -#
@commits = -n=text --max-count=text --skip=text --since=text --since-as-filter=text --after=text --until=text --before=text --author=text --committer=text --grep-reflog=text --grep=text --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges --min-parents=text --max-parents=text --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches=text? --tags=text? --remotes=text? --glob=text --exclude=text --exclude-hidden=text --reflog --alternate-refs --single-worktree --ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path=text? --date-order --author-date-order --topo-order --reverse --no-walk=text? --do-walk --pretty=git-format? --format=git-format --abbrev-commit --no-abbrev-commit --oneline --encoding=text --expand-tabs=text? --no-expand-tabs --notes=text? --no-notes --show-notes=text? --show-signature!runs-code --relative-date --date=text --parents --children --left-right --graph --no-graph --show-linear-break=text? --count -m

# The options before the subcommand. A configuration may name programs to run, so only harmless keys pass (role git-config); --bare takes the working
# directory's own files for a repository, and its configuration with it. --help shows a page.
git : | -C=repository -c=git-config --no-pager -P -p,--paginate --git-dir=code-file --work-tree=code-file --exec-path=code? --html-path --info-path --man-path
  | --namespace=text --bare!runs-code --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --super-prefix=text --config-env=code --no-lazy-fetch
  | -v --version
  version : | --build-options
  # None of its options does more than show.
  status : revision* inert gnu
    | -s,--short -b,--branch --show-stash --porcelain=text? --long -v,--verbose -u,--untracked-files=text? --ignored=text? --ignore-submodules=text? -z --column=text? --no-column --ahead-behind --no-ahead-behind
    | --renames --no-renames -M,--find-renames=text? --no-find-renames --null --no-null --no-short --no-branch --no-show-stash --no-porcelain --no-long --no-verbose --no-untracked-files --no-ignored --no-ignore-submodules
  # Outside a repository, and with --no-index, diff compares any two files.
  diff : revision*
    | @diff --cached --staged --merge-base --no-index --base --ours --theirs
  log whatchanged : revision*
    | @diff @commits -q --clear-decorations --follow --decorate=text? --no-decorate --decorate-refs=text --decorate-refs-exclude=text --source --mailmap --no-mailmap --use-mailmap --log-size -L=text
  show : revision*
    | @diff @commits -q --clear-decorations --decorate=text? --no-decorate --source --use-mailmap --mailmap --no-mailmap --decorate-refs=text --decorate-refs-exclude=text -L=text
  diff-tree diff-index diff-files : revision*
    | @diff --cached -m --root --stdin --no-commit-id -v --merge-base
  shortlog : revision* gnu | -s,--summary -n,--numbered -e,--email -c,--committer --format=git-format --group=git-format -w=text? --since=text --until=text --after=text --before=text --all --no-merges --author=text
  rev-list : revision* | @commits --objects --disk-usage=(human)? --use-bitmap-index --header --timestamp --quiet --missing=text --filter=text -# --bisect-vars --bisect-all --filter-print-omitted --no-filter --no-object-names --object-names --in-commit-order --unpacked --commit-header --no-commit-header --objects-edge --max-age=text --min-age=text --abbrev=text --no-abbrev
  blame annotate : revision* | -b -c -e -f -l -n -p -s -t -w -C=text? -L=text -M=text? -S=read --abbrev=text? --color-by-age --color-lines --minimal --contents=read --date=text --encoding=text --first-parent
    | --incremental --line-porcelain --porcelain --progress --no-progress --reverse --root --score-debug --show-email --show-name --show-number --show-stats --since=text --ignore-rev=text --ignore-revs-file=read
  grep : text revision* | -[aHhilLnoqrvVwcEGFPpWzI] -[ABCm]=text -e=text^ -f=read^ -# --cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules --text --ignore-case --no-textconv
    | --max-depth=text --recursive --no-recursive --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches
    | --name-only --files-without-match --null --only-matching --count --color=text? --no-color --break --heading --show-function --context=text --after-context=text --before-context=text --function-context
    | --threads=text --and --or --not --all-match --quiet --max-count=text -O,--open-files-in-pager=code?!runs-code --textconv!runs-code
  ls-files : revision* gnu | -[cdikmostuvzf] -x=text -X=read --cached --deleted --modified --others --ignored --stage --directory --no-empty-directory --unmerged --killed --resolve-undo --exclude=text --exclude-from=read
    | --exclude-per-directory=text --exclude-standard --error-unmatch --empty-directory --with-tree=text --full-name --recurse-submodules --abbrev=text? --debug --eol --sparse --deduplicate --format=git-format
  ls-tree : text* gnu | -[dlrtz] --long --name-only --name-status --object-only --full-name --full-tree --abbrev=text? --format=text
  ls-remote : git-url text* !connects at:configured | -[hqt] --heads --branches --tags --refs --get-url --quiet --exit-code --symref --sort=text --upload-pack=code --exec=code -o=text --server-option=text
  rev-parse : text* | --abbrev-ref=text? --short=text? --verify -q,--quiet --sq --symbolic --symbolic-full-name --all --branches=text? --tags=text? --remotes=text? --glob=text --exclude=text --disambiguate=text --git-dir
    | --absolute-git-dir --git-common-dir --git-path=text --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-cdup --show-prefix --show-toplevel
    | --show-superproject-working-tree --shared-index-path --since=text --until=text --default=text --flags --no-flags --revs-only --no-revs --not --show-object-format=text? --show-ref-format --path-format=text --local-env-vars
  describe : text* gnu | --all --tags --contains --long --always --abbrev=text? --dirty=text? --broken=text? --exact-match --first-parent --candidates=text --debug --match=text --exclude=text
  name-rev : text* gnu | --stdin --undefined --tags --refs=text --exclude=text --all --name-only --no-undefined --always --annotate-stdin
  merge-base : text* | -a,--all --octopus --independent --is-ancestor --fork-point
  cat-file : revision* | -t -s -e -p --batch=text? --batch-check=text? --batch-all-objects --buffer --unordered --allow-unknown-type --follow-symlinks --use-mailmap --no-use-mailmap --mailmap --no-mailmap --batch-command=text? -z --path=text --textconv!runs-code --filters!runs-code
  check-ignore : text* | -q,--quiet -v,--verbose -z -n,--non-matching --no-index --stdin
  check-attr : text* | -a,--all --cached -z --stdin --source=text
  check-ref-format : text* | --branch --normalize --allow-onelevel --refspec-pattern
  check-mailmap : text* | --stdin
  count-objects : gnu | -v,--verbose -H,--human-readable
  for-each-ref : text* gnu | -s -p --format=git-format --sort=git-format --count=text --points-at=text --merged=text? --no-merged=text? --contains=text? --no-contains=text? --ignore-case --shell --perl --python --tcl --color=text? --omit-empty --exclude=text --include-root-refs
  show-ref : text* | --head --heads --branches --tags -d,--dereference -s,--hash=text? --verify --abbrev=text? -q,--quiet --exists --exclude-existing=text?
  show-branch : text* | -a,--all -r,--remotes --current --topo-order --date-order --sparse --more=text? --list --merge-base --independent --no-name --sha1-name --topics -g,--reflog=text? --color=text? --no-color
  symbolic-ref : text text !history@2 exact | -q,--quiet --short --recurse --no-recurse -d,--delete!history -m=text!history
  cherry : text* | -v,--verbose --abbrev=text?
  range-diff : text* | @diff --no-dual-color --dual-color --creation-factor=text --left-only --right-only --notes=text? --no-notes
  verify-commit verify-tag : text* !runs-code
  var : text | -l
  fsck : text* | --unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --reflogs --full --strict -v,--verbose --progress --no-progress --connectivity-only --name-objects --lost-found!writes
  refs : 
    verify : | --strict --verbose
    list : text* | -s -p --format=git-format --sort=git-format --count=text --points-at=text --merged=text? --no-merged=text? --contains=text? --no-contains=text? --ignore-case --shell --perl --python --tcl --color=text? --omit-empty --exclude=text --include-root-refs
    exists : text
  commit-graph/verify : | --shallow --progress --no-progress
  multi-pack-index/verify : | --progress --no-progress
  diff-pairs : !unknown
  # What a configuration adds may come from a program; with either option nothing is added to what the file holds.
  interpret-trailers : read* !unknown@0 | --parse~ --only-input~ --only-trailers --unfold --no-divider
  # They read an archive or an index from their standard input.
  get-tar-commit-id : 
  show-index : | --object-format=text
  column : | --mode=text --raw-mode=text --width=text --indent=text --nl=text --padding=text
  stripspace : | -s,--strip-comments -c,--comment-lines
  patch-id : | --stable --unstable --verbatim
  verify-pack : read* | -v,--verbose -s,--stat-only --object-format=text
  hash-object : read* | -t=text --stdin --path=text --no-filters --literally -w!history --stdin-paths!unknown
  rerere : !history | --rerere-autoupdate --no-rerere-autoupdate
    status diff remaining : 
    clear forget gc : text* !history
  sparse-checkout : !history
    list : 
    check-rules : | -z --cone --no-cone --rules-file=read
    init set add reapply disable : text* !history !writes | --cone --no-cone --stdin --sparse-index --no-sparse-index --skip-checks
  # What opens a repository notes its format in .git/config, or makes the folders of its store.
  lfs : !unknown
    version : 
    env : !writes
    status : !writes | -p,--porcelain -j,--json
    ls-files : text* !writes | -[alsndD] -X=text -I=text --all --long --size --name-only --debug --deleted --exclude=text --include=text --json
  # A page is shown by the program that a configuration names; a list is printed.
  help : text* !runs-code@1 | -a,--all -g,--guides -c,--config --user-interfaces --developer-interfaces --verbose --no-verbose --no-external-commands --no-aliases
  # Lists without a name, makes or changes with one.
  branch : text* !history@1
    | -l,--list~ --show-current~ --contains=text?~ --no-contains=text?~ --merged=text?~ --no-merged=text?~ --points-at=text~ -a,--all -r,--remotes,--remote -v,-vv,--verbose -q,--quiet --abbrev=text? --no-abbrev
    | --sort=git-format --format=git-format --column=text? --no-column --color=text? --no-color -i,--ignore-case --omit-empty
    | -[dDmMcCftu]!history --delete!history --move!history --copy!history --force!history --set-upstream-to=text!history --unset-upstream!history --track=text?!history --no-track!history --create-reflog!history
    | --edit-description!runs-code
  tag : text* !history@1
    | -l,--list~ -n=text?~ --contains=text?~ --no-contains=text?~ --merged=text?~ --no-merged=text?~ --points-at=text~ --sort=git-format --format=git-format --column=text? --no-column --color=text? -i,--ignore-case --omit-empty
    | -a,--annotate!history -m,--message=text!history -F,--file=read!history -f,--force!history -d,--delete!history --cleanup=text --create-reflog!history -s,--sign,-u,--local-user=text?!runs-code -v,--verify!runs-code
    | -e,--edit!runs-code
  remote : | -v,--verbose
    show : git-url* !connects@1 at:configured | -n
    get-url : text | --all --push
    add : text git-url !history | -t=text -m=text -f!connects --tags --no-tags --mirror=text?
    rename remove rm set-branches set-url : text* !history | --add --delete --push
    set-head prune update : text* !history !connects at:configured | -a,--auto -d,--delete -p,--prune -n,--dry-run
  reflog : text* | @commits -#
    show list : text* | @commits -#
    exists : text
    expire delete drop write : text* !history | --all --expire=text --expire-unreachable=text --rewrite --updateref --stale-fix --dry-run -n --verbose --single-worktree
  stash : !history !writes | -[ua]!deletes --include-untracked!deletes --all!deletes -k,--keep-index -q,--quiet -p,--patch -S,--staged -m,--message=text
    list : text* | @commits -#
    show : text* | @diff --include-untracked --only-untracked
    drop clear create store : text* !history | -q,--quiet -m,--message=text
    push save pop apply branch : text* !history !writes | -[ua]!deletes --include-untracked!deletes --all!deletes -k,--keep-index -q,--quiet -p,--patch -S,--staged -m,--message=text --index --no-keep-index
  worktree : 
    list : | --porcelain -v -z
    prune : !history@0 | -n,--dry-run~ -v,--verbose --expire=text
    add move remove lock unlock repair : write* !history | -f,--force -b=text -B=text --detach --checkout --no-checkout --lock --reason=text --track --no-track -n,--dry-run -v,--verbose -q,--quiet --orphan
  submodule : text* !unknown@1 | -q,--quiet
    status : text* | --cached --recursive -q,--quiet
    summary : text* | --cached --files -n=text
    foreach : !runs-code
  notes : | --ref=text
    list show get-ref : text*
    add append edit copy remove merge prune : text* !history
  config : text text text !persists@2
    | -l,--list~ --get~ --get-all~ --get-regexp~ --get-urlmatch~ --get-color~ --get-colorbool~ --name-only --show-origin --show-scope -z,--null --type=text --bool --int --path --no-includes
    | -t=text --fixed-value --bool-or-str --global --system --local --worktree --default=text -f,--file=read --blob=text --bool-or-int --expiry-date
    | --add!persists --replace-all!persists --unset!persists --unset-all!persists --rename-section!persists --remove-section!persists -e,--edit!runs-code
    list get : text* | --global --system --local --worktree --all --regexp --value=text --url=text --show-origin --show-scope --name-only -z,--null --type=text --default=text -f,--file=read
    set unset rename-section remove-section edit : text* !persists
  archive : revision* | --list -l --format=git-format --prefix=text -v,--verbose --worktree-attributes --mtime=text -o,--output=write --add-file=read --add-virtual-file=text --remote=git-url!remote --exec=code -#
  bundle : !unknown
    verify list-heads : read text* | -q,--quiet
  # What changes the repository, its index or the files under it. A rehearsal is known without what asks a person, or takes a way of its own.
  # With -N a rehearsal changes the index.
  add : read* !history@0 | -[vfAu] -n,--dry-run~ --verbose --force --update --all --no-all --ignore-removal -N,--intent-to-add!history --ignore-errors --ignore-missing --sparse
    | -i,--interactive!history -p,--patch!history --refresh!history --renormalize!history --chmod=text!history -e,--edit!runs-code --pathspec-from-file=read --pathspec-file-nul
  # A rehearsal that takes files into account writes them as objects.
  commit : text* !history@0 | -[qvns] -a,--all!history -o,--only!history -i,--include!history --quiet --verbose --signoff --amend --no-edit --allow-empty --allow-empty-message -m,--message=text -F,--file=read --author=text --date=text --reset-author --fixup=text --squash=text
    | --cleanup=text --dry-run~0 -p,--patch!history --short --branch --porcelain --long -z --no-verify --no-post-rewrite --trailer=text --status --no-status -u,--untracked-files=text? --no-gpg-sign --no-signoff
    | -C,--reuse-message=text -S,--gpg-sign=text?!runs-code -e,--edit!runs-code -c,--reedit-message=text!runs-code -t,--template=read
  checkout switch : text* !history !writes | -[fqmdlbBcCp23] -t,--track=text? --force --quiet --merge --detach --ours --theirs --orphan --no-track --guess --no-guess --create --force-create --discard-changes --patch --conflict=text
    | --progress --no-progress --ignore-skip-worktree-bits --overlay --no-overlay --recurse-submodules --no-recurse-submodules --ignore-other-worktrees --pathspec-from-file=read
  restore : write* | -[SWpqm2] -s,--source=text --staged --worktree --patch --quiet --ours --theirs --merge --conflict=text --overlay --no-overlay --ignore-unmerged --progress --no-progress
  reset : text* !history exact | -[qpN] --quiet --soft --mixed --keep!writes --merge!writes --hard!deletes --patch --intent-to-add --no-refresh
  rm : delete* !history@0 | -[frq] -n,--dry-run>read~ --cached --force --quiet --ignore-unmatch --sparse
  mv : move* write !history@0 | -[fkv] -n,--dry-run>read~ --force --verbose --sparse
  # A rehearsal deletes nothing; beside -f it is not taken for one.
  clean : delete* !deletes@0 | -[dxXq] -n,--dry-run>read~ -f,--force!deletes --quiet -e,--exclude=text -i,--interactive!deletes
  merge : text* !history !writes | -[nqv] --ff --no-ff --ff-only --squash --no-squash --no-edit --commit --no-commit --stat --no-stat --abort --quit --allow-unrelated-histories --no-verify -m=text -F=read --quiet --verbose --progress --no-progress
    | --log=text? --no-log --signoff --autostash --no-autostash -X=text --continue!runs-code -s,--strategy=text!runs-code -S,--gpg-sign=text?!runs-code -e,--edit!runs-code
  rebase : text* !history !writes | --onto=text --abort --quit --skip -q,--quiet -v,--verbose --root --autostash --no-autostash --keep-base --no-verify --stat -n,--no-stat --fork-point --no-fork-point --autosquash --no-autosquash --update-refs
    | -X=text --show-current-patch --continue!runs-code -i,--interactive!runs-code -x,--exec=shell!runs-code -s,--strategy=text!runs-code --edit-todo!runs-code -S,--gpg-sign=text?!runs-code
  cherry-pick revert : text* !history !writes | -[nxr] -m,--mainline=text --no-commit --no-edit --abort --quit --skip --ff --allow-empty --allow-empty-message --keep-redundant-commits -s,--signoff -X=text --continue!runs-code -e,--edit!runs-code
    | --strategy=text!runs-code -S,--gpg-sign=text?!runs-code
  # What only counts or tries a patch turns the applying off, whatever stands beside it.
  apply : read* !writes@0 | -[3vRpzC]=text? --stat~ --numstat~ --summary~ --check~ --index --cached --3way --reverse --reject --verbose --whitespace=text --directory=text --include=text --exclude=text --unsafe-paths!system --allow-empty -q,--quiet
    | --build-fake-ancestor=write --recount --inaccurate-eof --unidiff-zero
  am : read* !history !runs-code
  init : write !writes | -q,--quiet --bare -b,--initial-branch=text --object-format=text --shared=text? --template=code-file --separate-git-dir=write
  clone : git-url write !connects !writes | -[qvnl] --quiet --verbose --progress --no-checkout --bare --mirror --depth=text -b,--branch=text --single-branch --no-single-branch --no-tags --shallow-since=text --shallow-exclude=text -o,--origin=text
    | --filter=text --sparse --local --no-local --no-hardlinks -s,--shared --reject-shallow -j,--jobs=text --dissociate --reference=read --reference-if-able=read --also-filter-submodules
    | -c,--config=git-config --template=code-file -u,--upload-pack=code --recurse-submodules=text?!runs-code --recursive=text?!runs-code --separate-git-dir=write
  # Alone it moves what the remote's own configuration names: refs/remotes. A ref that a word names is moved as well, and forced, pruned and shallow ones are lost.
  fetch : git-url refspec* !connects at:configured | -[atkqvn46] -[pPf]!history --all --append --prune!history --prune-tags!history --tags --no-tags --force!history --keep --quiet --verbose --progress
    | --depth=text!history --deepen=text!history --shallow-since=text!history --unshallow!history --update-shallow!history --shallow-exclude=text!history --refmap=text!history --filter=text!history
    | -u,--update-head-ok!history --set-upstream!history --ipv4 --ipv6 --server-option=text --negotiation-tip=text --write-fetch-head --no-write-fetch-head --auto-maintenance --auto-gc --no-auto-gc
    | --show-forced-updates --no-show-forced-updates --prefetch --dry-run --multiple --refetch -j,--jobs=text --no-recurse-submodules --porcelain --atomic --no-auto-maintenance --upload-pack=code -o=text
    | --recurse-submodules=text?!runs-code
  pull : git-url text* !connects at:configured !history !writes | -[qvr46n] --quiet --verbose --ff --no-ff --ff-only --rebase=text? --no-rebase --autostash --no-autostash --prune --tags --no-tags --all --depth=text --no-edit --progress --stat --no-stat
    | --allow-unrelated-histories --squash --no-squash --no-commit --commit -X=text --upload-pack=code --strategy=text!runs-code
  push : git-url text* !publishes !runs-code | -[nfduqv46] --dry-run --force --force-with-lease=text? --delete --all --mirror --tags --follow-tags --set-upstream --quiet --verbose --progress --no-verify --porcelain --prune --atomic
    | --receive-pack=code --exec=code -o=text --push-option=text
  format-patch : text* !writes | --stdout -o,--output-directory=write -N,--no-numbered -n,--numbered -s,--signoff --attach --inline --thread --subject-prefix=text -v=text --cover-letter -#
  bisect : !runs-code
    log terms : text* | --term-good --term-bad --term-old --term-new
  difftool mergetool filter-branch send-email request-pull daemon instaweb gui citool web--browse credential hook svn p4 : !runs-code
  maintenance : 
    run : !history | --auto --quiet --task=text
    start stop register unregister : !schedules !persists
  prune : text* !history@0 | -n,--dry-run~ -v,--verbose --progress --no-progress --expire=text
  replace : text* !history@1 exact | -l,--list~ --format=(short|medium|long) -d,--delete!history -f,--force!history -g,--graft!history
  update-ref update-index write-tree commit-tree mktag mktree pack-refs gc repack read-tree unpack-objects index-pack pack-objects fast-import : text* !history exact
    | -[adwqtluvzp] --stdin --cached --add --remove --really-refresh --refresh --auto --aggressive --prune=text --quiet --verify --all -m=text
`;
