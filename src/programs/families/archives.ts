/** Archives and compression (GNU tar 1.34, gzip 1.12, xz 5.4, Info-ZIP 6.0, p7zip 16). */
export const archives = `
# What -f and the operands are depends on the mode: the reader of tar decides. At the end of a volume it asks what to do, and an answer starts a shell.
# Letters are those of GNU's and of libarchive's alike: there -s takes a value, -H and -L take none, and -W names a long option.
tar gtar bsdtar : read* by:tar gnu
  | -c,--create -x,--extract,--get -t,--list -r,--append -u,--update -A,--catenate,--concatenate -d,--diff,--compare --delete -f,--file=text -C,--directory=text -O,--to-stdout
  | -[vzjJaZhklmopSUwBiRGnE] -M!runs-code -[bKNV]=text -H=(gnu|oldgnu|pax|posix|ustar|v7) -[TX]=read -g=write --verbose --gzip --gunzip --bzip2 --xz --zstd --lzma --lzip --lzop --compress --auto-compress --no-auto-compress
  | --exclude=text --exclude-from=read --exclude-vcs --exclude-vcs-ignores --exclude-caches --exclude-backups --files-from=read --strip-components=text --strip=text --wildcards --no-wildcards --anchored --no-anchored
  | --ignore-case --no-ignore-case --wildcards-match-slash --no-wildcards-match-slash --no-recursion --recursion --numeric-owner --owner=text --group=text --mode=text --mtime=text --sort=text --transform=text --xform=text
  | --show-transformed-names --totals --keep-old-files --keep-newer-files --skip-old-files --overwrite --unlink-first --no-overwrite-dir --no-same-owner --no-same-permissions --preserve-permissions --same-owner --touch
  | --dereference --hard-dereference --one-file-system --null --occurrence=text? --newer=text --newer-mtime=text --after-date=text --utc --full-time --block-number --checkpoint=text? --warning=text --force-local --sparse
  | --absolute-names!system -P!system --format=text --posix --old-archive --pax-option=text --label=text --index-file=write --remove-files --recursive-unlink!deletes --listed-incremental=write --verify --ignore-zeros
  | --xattrs --acls --selinux --no-xattrs --no-acls --no-selinux --confirmation --interactive --ignore-failed-read --record-size=text --blocking-factor=text --add-file=read --backup=text? --suffix=suffix --delay-directory-restore --test-label --check-device --no-check-device --no-seek --seek --exclude-caches-all --exclude-caches-under --exclude-ignore=text --exclude-ignore-recursive=text
  | --exclude-tag=text --exclude-tag-all=text --exclude-tag-under=text --no-null --no-unquote --unquote --verbatim-files-from --no-verbatim-files-from --keep-directory-symlink --overwrite-dir --ignore-command-error --no-ignore-command-error
  | --clamp-mtime --group-map=read --owner-map=read --no-delay-directory-restore --same-permissions --preserve-order --same-order --xattrs-exclude=text --xattrs-include=text --read-full-records --portability --ungzip --uncompress
  | --starting-file=text --check-links --quoting-style=text --quote-chars=text --no-quote-chars --show-defaults --show-omitted-dirs --show-stored-names --show-snapshot-field-ranges --usage
  | -I,--use-compress-program=code -F,--info-script,--new-volume-script=code --to-command=code --checkpoint-action=code --rsh-command=code --rmt-command=code --volno-file=write
# With -N the name of what is unpacked stands in the file.
@packing = -[c]>read -[t]>read -[kvfqdnLVazh] --license --synchronous --rsyncable -N,--name!writes!unknown -# -r>delete-tree --suffix=suffix!unknown -o=write-stream --threads=text --stdout>read --to-stdout>read --list>read --test>read --keep --force --verbose --quiet --decompress --uncompress --best --fast --no-name --recursive>delete-tree -e --extreme --format=text -D=read --ultra --long=text? --rm>replace --exclude-compressed
gzip gunzip lzip compress uncompress brotli : replace* | -l>read -S=suffix!unknown @packing
# The last of -t, -d and -z counts, so -t alone keeps no file from being written.
bzip2 bunzip2 : replace* | -c,--stdout>read -[kvfqsdzLV] -# --keep --force --verbose --quiet --small --decompress --compress --best --fast --license
# With -t or -l a later -z packs, and where the reader of modes finds another mode beside them, they do not count.
xz unxz lzma unlzma : replace* with:modes | -l>read -S=suffix!unknown -T=text @packing
pigz : replace* with:modes | -l>read -S=suffix!unknown -p=text @packing
# A number is attached to its letter: the word behind -T is a file.
zstd unzstd zstdmt : replace* with:modes | -l>read -[TpS] @packing
# With -l it packs in an older format.
lz4 : replace* with:modes | -[TpS] @packing
zcat gzcat bzcat : read* gnu inert | -[fqvdckltmh] --force --list --test --quiet --verbose --keep --stdout --decompress
xzcat lzcat : read* gnu inert | -[fqvdckltmh] --force --list --test --quiet --verbose --keep --stdout --decompress -T,--threads=text
# With -o it writes.
zstdcat : read* | -[fqvdclthk] --force --list --test --quiet --verbose --keep --stdout --decompress
zless zmore xzless bzless xzmore : !runs-code
zdiff zcmp xzdiff : read* !runs-code
# Behind the archive only -x and -d are options: unzip a.zip -l unpacks a file of that name.
unzip : read text* !writes@0 with:unpacking | -[lZtzvpc]~ -hh~ -[qaoUuLCnjBDMX1fh] -T!writes -x -d=write -[P]=secret -:!system -^!system
zipinfo : read text* | -[12smlvhtTzCMU]
funzip : read | -
# An option of two letters is no cluster of two; with -O the archive that is read stands first. -lf writes a log, -b makes its copy elsewhere, -@ reads the names of files.
zip : write read* | -[jqv0123456789uyoXDeAfgkwzLhVJIl] -R!unknown -r,--recurse-paths>read-tree -[xin]=text -[t]=text -tt=text -b,--temp-path=write -P=secret -d,--delete!deletes -m,--move>replace -T,--test!runs-code -TT,--unzip-command=code
  | -lf,--logfile-path=write -la -li -ll -lu!unknown -O,--output-file,--out=write -s,--split-size=text -sp -sv -sb!unknown -sc -sd -sf -so -su -sU -db -dc -dd -df -dg -dr!unknown -ds=text -du -dv -ic -nw -ws -RE!unknown -FS!deletes -F -FF
  | -FI!unknown -MM -UN=text -U -AC -AS -DF -VV!unknown -h2 -hh!unknown -@!unknown -Z=text -c --exclude=text --include=text --quiet --junk-paths --update --freshen --filesync!deletes --verbose --recurse-patterns!unknown --no-dir-entries
  | --no-extra --symlinks --encrypt --password=secret --latest-time --fix --fixfix --show-files --must-match --compression-method=text --suffixes=text --from-date=text --before-date=text --display-bytes --display-counts
7z 7za 7zr 7zz : !unknown@1 | -h
  # A word that begins with @ names a file of names.
  l t : object* | -scrcCRC32 -scrcCRC64 -scrcSHA1 -scrcSHA256 -scrcSHA512 -scrcXXH64 -scrcMD5 -scrcBLAKE2SP -p=secret? -slt -ba -r -y -bd -scsUTF-8 -so -bso0 -bsp0 -bb -bb0 -bb1 -bb2 -bb3 -sccUTF-8 -sccWIN -sccDOS -spd -slp -bt -an -ssc -ssc- -ssp -mmt=text? -t=text
  h : object* | -scrcCRC32 -scrcCRC64 -scrcSHA1 -scrcSHA256 -scrcSHA512 -scrcXXH64 -scrcMD5 -scrcBLAKE2SP -r -ba -bd
  i b :
  x e : read text* !writes | -so -y -r -aoa -aos -aou -ba -bd -bso0 -bsp0 -t=text -p=secret?
  a u : write read* | -r -y -tzip -t7z -mx9 -mx=text -bd
  d rn : write text* !deletes
ar : !unknown
  # A word that begins with @ names a file of further words. A thin archive names the files that p prints.
  t tv : object* answers
  p pv : list object* answers
  r q rc rcs cr crs d x m s : write read* !writes
cpio : !writes
  | -[itov]
unrar rar : !unknown
  l lb lt v vb vt t : object*
  x e : read text* !writes
`;
