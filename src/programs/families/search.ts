/** Searching (GNU grep 3.8, findutils 4.9, ripgrep 13, the silver searcher 2.2, fd 8.6, fzf 0.40). */
export const search = `
# The third thing to do with directories, recurse, is what -r is for.
@grep = -[abcEFGHhIiLlnoPqsTUvVwxyzZu] -r,-R,--recursive,--dereference-recursive>read-tree -[ABCmD]=text -d,--directories=(read|skip) -# -e,--regexp=text^ -f,--file=read^ --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --max-count=text --byte-offset --line-number --line-buffered --with-filename --no-filename --label=text --only-matching --quiet --silent --binary-files=text --text --devices=text --include=text --exclude=text --exclude-from=read --exclude-dir=text --files-without-match --files-with-matches --count --initial-tab --null --before-context=text --after-context=text --context=text --color=text? --colour=text? --binary --group-separator=text --no-group-separator --unix-byte-offsets
grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep ggrep : text read* gnu inert with:tree | @grep
# It goes through the directories that it is given.
rgrep : text read-tree* gnu inert with:here | @grep
rg ripgrep : text read-tree* with:here
  | -[aFHIilLNnoPpqsSuUvVwxcb.0] -[ABCEgjmMrtTd]=text -e,--regexp=text^ -f,--file=read^ -z,--search-zip!runs-code --pre=code --pre-glob=text --hostname-bin=code
  | --after-context=text --before-context=text --context=text --count --count-matches --color=text --colors=text --column --no-column --context-separator=text --crlf --debug --dfa-size-limit=text
  | --encoding=text --engine=text --field-context-separator=text --field-match-separator=text --files^ --files-with-matches --files-without-match --fixed-strings --follow --glob=text
  | --glob-case-insensitive --heading --no-heading --hidden --no-hidden --iglob=text --ignore-case --ignore-file=read --include-zero --invert-match --json --line-buffered --line-number --no-line-number
  | --line-regexp --max-columns=text --max-columns-preview --max-count=text --max-depth=text --maxdepth=text --max-filesize=text --mmap --no-mmap --multiline --multiline-dotall --no-config --no-filename --no-ignore
  | --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --null --null-data --one-file-system --hyperlink-format=text --stop-on-nonmatch --generate=text^
  | --only-matching --passthru --path-separator=text --pcre2 --pretty --quiet --regex-size-limit=text --replace=text --smart-case --sort=text --sortr=text --stats --text --threads=text --trim --type=text
  | --byte-offset -h --ignore-file-case-insensitive --no-pcre2-unicode --no-require-git --no-unicode --pcre2-version --type-not=text --type-list --type-add=text --type-clear=text --unrestricted --vimgrep --with-filename --word-regexp --binary --block-buffered --auto-hybrid-regex --case-sensitive
ag : text read-tree* with:here
  | -[acDfFgGHiLlnQrRsSuUvwWz0to] --nocolor --color --column --noheading --nogroup --group --hidden --ignore-case --literal --ignore=text --depth=text --context=text? --count --files-with-matches
  | --pager=code -[ABCm]=text --after=text? --before=text? --vimgrep --stats --silent --print0 --null --list-file-types^ --print-long-lines --all-types --all-text --smart-case --case-sensitive --word-regexp --invert-match --fixed-strings --files-without-matches --max-count=text --numbers --nonumbers --nofilename --filename --follow --one-device --ackmate --color-line-number=text --color-match=text --color-path=text --debug --file-search-regex=text --heading --ignore-dir=text --mmap --nommap --multiline --nomultiline --nobreak --nofollow --norecurse --recurse --passthrough --passthru --search-binary --skip-vcs-ignores --stats-only --unrestricted --workers=text -p,--path-to-ignore=read -V~ --search-files --only-matching
ack : text read* !unknown
find : by:find
fd fdfind : text read-tree* by:fd with:here
  | -[HIuFisgalpqL01hV] -[dteSojE]=text -x,-X,--exec,--exec-batch!runs-code --hidden --no-ignore --unrestricted --no-ignore-vcs --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path
  | --list-details --follow --full-path --print0 --max-depth=text --min-depth=text --exact-depth=text --prune --type=text --extension=text --exclude=text --ignore-file=read --color=text --threads=text
  | --size=text --changed-within=text --changed-before=text --newer=text --older=text --owner=text --max-results=text --quiet --show-errors --base-directory=read --path-separator=text --search-path=read
  | --strip-cwd-prefix=text? --one-file-system --no-require-git --and=text --format=text --hyperlink=text? --no-hidden --no-ignore-parent --no-global-ignore-file --ignore --relative-path --no-follow --maxdepth=text --change-newer-than=text --change-older-than=text --batch-size=text --gen-completions=text?
locate mlocate plocate : text* inert | -[AbceiLlnpPqrswS0] -d,--database=read --basename --count --existing --ignore-case --limit=text --regex --all
# Without input it walks through the working directory. It shows itself on a terminal alone, and previews only what it shows; with -f it only filters. --tmux starts another program.
# The preview's text is judged as the shell's that it is, although no command has a terminal.
fzf : with:here
  | -[xemsi1] -[qfndw]=text -0 +i +x +s +m +e --exact --no-exact --extended --no-extended --ignore-case --no-ignore-case --smart-case --literal --no-literal --scheme=text --algo=text --nth=text --with-nth=text --accept-nth=text
  | --delimiter=text --sort=text? --no-sort --tail=text --disabled --no-disabled --enabled --tiebreak=text --read0 --no-read0 --sync --no-sync --ansi --no-ansi --multi=text? --no-multi --cycle --no-cycle --tac --no-tac --id-nth=text --freeze-left=text --freeze-right=text --track --no-track
  | --height=text --no-height --min-height=text --layout=text --no-layout --reverse --no-reverse --margin=text --padding=text --border=text? --no-border --border-label=text --border-label-pos=text --style=text --color=text? --no-color
  | --no-bold --bold --black --no-black --highlight-line --no-highlight-line --wrap --no-wrap --wrap-sign=text --multi-line --no-multi-line --raw --no-raw --gap=text? --no-gap --gap-line=text? --keep-right --no-keep-right
  | --scroll-off=text --hscroll --no-hscroll --hscroll-off=text --jump-labels=text --gutter=text --gutter-raw=text --pointer=text --marker=text --marker-multi-line=text --ellipsis=text --tabstop=text --scrollbar=text? --no-scrollbar
  | --list-border=text? --list-label=text --list-label-pos=text --no-input --no-input-border --input-border=text? --input-label=text --input-label-pos=text --prompt=text --info=text --no-info --inline-info --info-command=code
  | --separator=text --no-separator --ghost=text --filepath-word --no-filepath-word --header=text --no-header --header-lines=text --header-first --no-header-first --header-border=text? --no-header-border --header-label=text
  | --header-label-pos=text --header-lines-border=text? --footer=text --no-footer --footer-border=text? --footer-label=text --footer-label-pos=text --preview=shell --no-preview --preview-window=text --preview-border=text?
  | --preview-label=text --preview-label-pos=text --preview-wrap-sign=text --query=text --filter=text --select-1 --no-select-1 --exit-0 --no-exit-0 --print-query --no-print-query --print0 --no-print0 --expect=text --no-expect
  | --no-mouse --no-unicode --unicode --no-clear --ambidouble --no-ambidouble --tty-default=text --no-tty-default --no-force-tty-in --no-tmux --no-listen --walker=text --walker-root=read-tree --walker-skip=text
  | --history=write --no-history --history-size=text --with-shell=code --bind=fzf-bind --toggle-sort=text --bash --zsh --fish -h --listen=text?!runs-code --listen-unsafe=text?!runs-code
tokei : read* inert | -[CflvV] -[tsecon]=text --files --sort=text --exclude=text --type=text --types=text --output=text --num-format=text --columns=text --hidden --languages --streaming=(simple|json) --no-ignore --no-ignore-parent --no-ignore-dot --no-ignore-vcs --compact --verbose
scc : read* | -[ilacduzmp] -[festxMn]=text --languages --ci --uloc --percent --character --dryness --binary --gen --min --no-gitignore --no-ignore --no-size --no-gen --no-large --no-duplicates --no-min-gen --include-symlinks --not-match=text --count-as=text --avg-wage=text --currency-symbol=text --large-line-count=text --large-byte-count=text --by-file --wide -w --no-cocomo --no-complexity --sort=text --format=text --include-ext=text --exclude-dir=text -o,--output=write
# What it unpacks, it hands to a shell by name; of a commit the names of all files.
cloc : read* with:counted | --timeout=text --exclude-ext=text --skip-uniqueness --xml --show-os --hide-rate --progress-rate=text --by-file --json --csv --yaml --quiet --md --exclude-dir=text --include-lang=text --exclude-lang=text --by-file-by-lang --show-lang=text? --show-ext=text? --by-percent=text --sum-one --follow-links --max-file-size=text --fullpath --no-autogen
sg ast-grep : !unknown
ctags : !writes
`;
