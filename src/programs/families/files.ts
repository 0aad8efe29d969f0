/** Files: looking at them, copying, moving, removing (GNU coreutils 9.1, tree 2.1). */
export const files = `
# Looking. ls shows names and sizes, which counts as reading the path.
ls dir vdir : read* gnu inert
  | -[aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1] -[ITw]=text
  | --all --almost-all --author --escape --block-size=text --ignore-backups --color=text? --directory --dired --classify=text? --file-type
  | --format=text --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line
  | --dereference-command-line-symlink-to-dir --hide=text --hyperlink=text? --indicator-style=text --inode --ignore=text --kibibytes
  | --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style=text --reverse --recursive
  | --size --sort=text --time=text --time-style=text --tabsize=text --width=text --context --zero -D -P
tree : read* apart | -[HT]=text --nolinks --hintro=read --houtro=read --gitfile=read --infofile=read --fflinks
  | -[adfpsughDFqNQrtcUnACSvlxJXi] -[LIP]=text -o=write --noreport --dirsfirst --filesfirst --du --prune --si --inodes --device --gitignore --charset=text
  | --filelimit=text --timefmt=text --matchdirs --ignore-case --sort=text --metafirst --fromfile --info
exa eza : read* inert
  | -[1lGRTxFabdDfhHigmnUuSr@Z] -t,--time=text -L,--level=text -I,--ignore-glob=text -s,--sort=text --git --icons=text? --color=text? --tree --long --all --header --group --oneline
  | --grid --recurse --git-ignore --no-icons --group-directories-first --time-style=text --no-permissions --no-user --no-time --no-filesize --only-dirs --only-files --reverse
  | -[oXBAM] --extended --context -w,--width=text --hyperlink --total-size --absolute=text? --no-git --git-repos --git-repos-no-status --smart-group --color-scale=text? --color-scale-mode=text --no-quotes --mounts --octal-permissions --dereference --bytes --binary --flags --links --inode --numeric --blocksize --created --modified --accessed --changed --across --classify=text? --show-symlinks --no-symlinks
stat : read* gnu inert | -[Flnqrsx] -L,--dereference -f,--file-system -c,--format=text --printf=text -t,--terse --cached=text
file : read* | -[bdEhiIkLlNnrsSv0c] -F=text --apple --exclude-quiet=text --parameter=text --no-buffer --checking-printout -m,--magic-file=read --brief --mime --mime-type --mime-encoding --extension --dereference --no-dereference --keep-going --raw
  | --separator=text --print0 --no-pad --list -f,--files-from=list -e,--exclude=text -P=text -z!runs-code -Z!runs-code --special-files
du : read* gnu inert
  | -[0aAbcDgHhklLmPrsSx] -[BdIt]=text -X=read --null --all --apparent-size --bytes --total --dereference-args --max-depth=text --human-readable --inodes --dereference
  | --no-dereference --separate-dirs --si --summarize --threshold=text --time=text? --time-style=text --exclude=text --exclude-from=read --one-file-system
  | --block-size=text --files0-from=list --count-links
df : read* gnu inert
  | -[abgHhiklmnPTv] -[tBx]=text --all --block-size=text --human-readable --si --inodes --local --no-sync --sync --output=text? --portability --total --type=text
  | --print-type --exclude-type=text
basename : text* gnu inert | -a,--multiple -s,--suffix=text -z,--zero
dirname : text* gnu inert | -z,--zero
realpath : read* gnu inert | -[eEmLPqszZ] --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to=read --relative-base=read --strip --no-symlinks --zero
readlink : read* gnu inert | -[femnqsvz] --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero
pathchk : text* gnu inert | -p -P --portability
pwd : inert | -L -P --logical --physical
which : text* inert | -a -s --all
whereis : text* inert | -b -m -s -u -l
lsattr : read* inert | -[RVadlvp]
getfacl : read* inert | -[acdestnpRLP] --access --default --omit-header --all-effective --numeric --recursive --absolute-names --tabular
namei : read* inert | -[xmolvn] --modes --owners --long --nosymlinks --vertical --mountpoints
cksum sum b2sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum : read* gnu inert
  | -[bctwzrsU0] -a,--algorithm=text -l,--length=text --binary --check --text --tag --zero --ignore-missing --quiet --status --strict --warn --untagged --debug --raw --base64
md5 : read* inert | -[pqrtx] -s=text
cmp : read read text text gnu inert | -v -b,--print-bytes -i,--ignore-initial=text -l,--verbose -n,--bytes=text -s,--quiet,--silent
diff : read* gnu inert
  | -[abBcdeEinNpqstTuwyZlP] -r,--recursive>read-tree -[CFIUWxLD]=text -[SX]=read -#
  | --normal --brief --report-identical-files --context=text? --unified=text? --ed --rcs --side-by-side --width=text --left-column --suppress-common-lines --show-c-function
  | --show-function-line=text --label=text --expand-tabs --initial-tab --tabsize=text --suppress-blank-empty --paginate --no-dereference --new-file --unidirectional-new-file
  | --ignore-file-name-case --no-ignore-file-name-case --exclude=text --exclude-from=read --starting-file=text --from-file=read --to-file=read --ignore-case
  | --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines=text --text --strip-trailing-cr
  | --ifdef=text --minimal --horizon-lines=text --speed-large-files --color=text? --palette=text
diff3 : read read read gnu | -[AeE3mTixXav] --easy-only --overlap-only --show-all --ed --show-overlap --merge --text --strip-trailing-cr --initial-tab -L,--label=text --diff-program=code
# A dash is a file's name here.
sdiff : read read | -o,--output=write --diff-program=code -[iEZbWBtdHaslv] -[Iw]=text --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines=text --strip-trailing-cr --text --width=text --left-column
  | --suppress-common-lines --expand-tabs --tabsize=text --minimal --speed-large-files
colordiff : read* inert | -[uNqbwBiy] -r>read-tree -U=text --color=text?

# Copying, moving, linking: the last operand is written.
cp : read* write gnu named with:copies
  | -[bdfiHlLnpPsTuvxZ] -r,-R,-a,--recursive,--archive>read-tree -t,--target-directory=write>read -S,--suffix=suffix --attributes-only --backup=text? --copy-contents --debug --force --interactive --link --dereference
  | --no-clobber --no-dereference --preserve=text? --no-preserve=text --parents!unknown --reflink=text? --remove-destination --sparse=text --strip-trailing-slashes
  | --symbolic-link --no-target-directory --update=text? --verbose --one-file-system --context=text?
mv : move* write gnu named with:copies
  | -[bfinTuvZ] -t,--target-directory=write>move -S,--suffix=suffix --backup=text? --debug --exchange --force --interactive --no-clobber --no-copy --strip-trailing-slashes --no-target-directory
  | --update=text? --verbose --context
install : read* write gnu with:copies
  | -[bcCDpTvZ] -d,--directory>write -t,--target-directory=write>read -m,--mode=mode -o,--owner=text!privilege -g,--group=text!privilege -s,--strip!runs-code --strip-program=code
  | -S,--suffix=suffix --backup=text? --compare --preserve-timestamps --verbose --no-target-directory
# A link's target may lead anywhere: it counts as read. A target alone is linked into the working directory.
ln : read* write gnu !writes with:copies | -[bfinLPrsTv] -d,-F,--directory!system -t,--target-directory=write>read -S,--suffix=suffix --backup=text? --force --interactive --logical --no-dereference --physical --relative --symbolic
  | --no-target-directory --verbose
link : read write gnu
rm : delete* gnu named
  | -[fiIvd] -[rR]>delete-tree --recursive>delete-tree --force --interactive=text? --one-file-system --preserve-root=text? --no-preserve-root!system --dir --verbose
unlink : delete gnu
rmdir : delete* gnu named | -v -p,--parents!deletes --ignore-fail-on-non-empty --verbose
shred : write* gnu | -[fvxz] -u>replace -n,--iterations=text -s,--size=text --force --random-source=read --remove=text?>replace --verbose --exact --zero
trash trash-put : delete-tree* | -v
mkdir : write* gnu | -[pvZ] -m,--mode=mode --parents --verbose --context=text?
mkfifo : write* gnu | -m,--mode=mode -Z --context=text?
mknod : write text text text gnu !system | -m,--mode=mode
mktemp : write gnu with:scratch | -d,--directory -u,--dry-run>text -q,--quiet --suffix=text -p,--tmpdir=write -t
# The reader of dd knows its operands: if= is read, of= is written.
dd : by:dd
touch : write* gnu named | -[acfmh] -d,--date=text -t=text -r,--reference=read --no-create --no-dereference --time=text
truncate : write* gnu | -c,--no-create -o,--io-blocks -r,--reference=read -s,--size=text
fallocate : write | -[cdinpxz] -l,--length=text -o,--offset=text
chmod : mode write* gnu named
  | -[cfv] -R,--recursive>write-tree --changes --quiet --silent --verbose --preserve-root --no-preserve-root!system --reference=read^
  | -[rwxX]^
chown chgrp : text write* gnu !privilege
  | -[cfvhHLP] -R,--recursive>write-tree --changes --quiet --verbose --dereference --no-dereference --from=text --preserve-root --no-preserve-root!system --reference=read^
chattr : text write* !system | -[RVf]
setfacl : write* !privilege | -[mxbkR]=text
sync : read* gnu inert | -d -f --data --file-system
# A patch names the files that it changes.
# What stands before the name of a copy may lead elsewhere, together with the name.
patch : write read gnu !writes | -[bcflnNRstTuZE] -#  -[pFV]=text -z=suffix -Y=text!unknown -i,--input=read -d,--directory=directory -o,--output=write-stream -r,--reject-file=write -B,--prefix=write!unknown --dry-run --reverse --forward --batch --force --silent
  | --quiet --verbose --binary --strip=text --fuzz=text --merge=text? --backup --no-backup-if-mismatch --ignore-whitespace --unified --context --normal --posix -e,--ed!runs-code
# What split and csplit write begins with a prefix, and may end with a suffix of somebody's own.
split : read write-start gnu !writes | -[abClnt]=text -[deuxv] -# --suffix-length=text --additional-suffix=text --bytes=text --line-bytes=text --numeric-suffixes=text? --hex-suffixes=text? --elide-empty-files
  | --filter=shell!runs-code --lines=text --number=text --separator=text --unbuffered --verbose
csplit : read text* gnu !writes | -n=text -[kqsz] -b,--suffix-format=suffix -f,--prefix=write-start --digits=text --keep-files --quiet --silent --elide-empty-files --suppress-matched
`;
