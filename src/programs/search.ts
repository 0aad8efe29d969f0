/** Searching (GNU grep 3.8, findutils 4.9, ripgrep 13, the silver searcher 2.2, fd 8.6, fzf 0.40). */
export const search = `
grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep rgrep ggrep : text read* gnu inert
  | -[abcEFGHhIiLlnoPqsTUvVwxyzZu] -r,-R,--recursive,--dereference-recursive>read-tree -[ABCmdD]=text -# -e,--regexp=text^ -f,--file=read^
  | --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --max-count=text
  | --byte-offset --line-number --line-buffered --with-filename --no-filename --label=text --only-matching --quiet --silent --binary-files=text --text --directories=text --devices=text
  | --include=text --exclude=text --exclude-from=read --exclude-dir=text --files-without-match --files-with-matches --count --initial-tab --null
  | --before-context=text --after-context=text --context=text --color=text? --colour=text? --binary --group-separator=text --no-group-separator --unix-byte-offsets
rg ripgrep : text read-tree* with:here
  | -[aFHIilLNnoPpqsSuUvVwxcb.0] -[ABCEgjmMrtTd]=text -e,--regexp=text^ -f,--file=read^ -z,--search-zip!runs-code --pre=code --pre-glob=text --hostname-bin=code
  | --after-context=text --before-context=text --context=text --count --count-matches --color=text --colors=text --column --no-column --context-separator=text --crlf --debug --dfa-size-limit=text
  | --encoding=text --engine=text --field-context-separator=text --field-match-separator=text --files^ --files-with-matches --files-without-match --fixed-strings --follow --glob=text
  | --glob-case-insensitive --heading --no-heading --hidden --no-hidden --iglob=text --ignore-case --ignore-file=read --include-zero --invert-match --json --line-buffered --line-number --no-line-number
  | --line-regexp --max-columns=text --max-columns-preview --max-count=text --max-depth=text --maxdepth=text --max-filesize=text --mmap --no-mmap --multiline --multiline-dotall --no-config --no-filename --no-ignore
  | --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --null --null-data --one-file-system
  | --only-matching --passthru --path-separator=text --pcre2 --pretty --quiet --regex-size-limit=text --replace=text --smart-case --sort=text --sortr=text --stats --text --threads=text --trim --type=text
  | --type-not=text --type-list --type-add=text --type-clear=text --unrestricted --vimgrep --with-filename --word-regexp --binary --block-buffered --auto-hybrid-regex --case-sensitive
ag : text read-tree* with:here
  | -[aAcDfFgGHiLlnQrRsSuUvwWz0] --nocolor --color --column --noheading --nogroup --group --hidden --ignore-case --literal --ignore=text --depth=text --context=text? --count --files-with-matches
  | --pager=code -[BCm]=text
ack : text read* !unknown
find : by:find
fd fdfind : text read*
  | -[HIEuFisgalpqL01] -[dteSoj]=text -x,-X,--exec,--exec-batch!runs-code --hidden --no-ignore --unrestricted --no-ignore-vcs --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path
  | --list-details --follow --full-path --print0 --max-depth=text --min-depth=text --exact-depth=text --prune --type=text --extension=text --exclude=text --ignore-file=read --color=text --threads=text
  | --size=text --changed-within=text --changed-before=text --newer=text --older=text --owner=text --max-results=text --quiet --show-errors --base-directory=read --path-separator=text --search-path=read
  | --strip-cwd-prefix=text? --one-file-system --no-require-git --and=text --format=text
locate mlocate plocate : text* inert | -[AbcdeiLlnpPqrswS0] --basename --count --existing --ignore-case --limit=text --regex --all
fzf : !runs-code@1
  | -[xemsi] -[qfndwp]=text --filter=text --query=text --exact --multi=text? --no-sort --tac --delimiter=text --nth=text --with-nth=text --height=text --reverse --layout=text --border=text? --prompt=text
  | --header=text --header-lines=text --ansi --print0 --read0 --sync --select-1 --exit-0 --print-query --no-mouse --cycle --algo=text --scheme=text --tiebreak=text --info=text --no-info --pointer=text
  | --marker=text --color=text --no-color --no-bold --margin=text --padding=text --tabstop=text --ellipsis=text --keep-right --scroll-off=text --no-hscroll --hscroll-off=text --literal --track -1 -0 +i +x +s +m
  | --bind=code --preview=code --execute=code --history=write --listen=code?!runs-code --become=code --min-height=text --no-multi --inline-info --no-scrollbar --scrollbar=text --separator=text --no-separator
  | --label=text --border-label=text --preview-window=text --preview-label=text --expect=text --jump-labels=text --no-unicode --ignore-case --no-extended --extended --case=text --smart-case --tail=text --wrap
tokei : read* inert | -[Cfc] -[tse]=text --files --sort=text --exclude=text --type=text
scc : read* | -[filestx]=text --by-file --wide -w --no-cocomo --no-complexity --sort=text --format=text --include-ext=text --exclude-dir=text -o,--output=write
cloc : read* | --by-file --json --csv --yaml --quiet --md --exclude-dir=text --include-lang=text --exclude-lang=text --by-file-by-lang
sg ast-grep : !unknown
ctags : !writes
`;
