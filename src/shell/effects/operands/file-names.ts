/**
 * Names that every program takes for a file: no option (`-f`, `+cmd`), no assignment (`a=b`), no list of words (`@f`), no host (`h:f`), no address, no
 * operator (`!`, `(`), nothing that a program expands once more.
 */
export const ORDINARY_NAMES = /^[\p{L}\p{N}_.][\p{L}\p{N}\p{M}_., +~#()[\]{}&'-]*$/u;

/**
 * Visible ASCII without quotes and backslashes: in every locale xargs takes it for a word, as it stands, and so does a shell that splits it, but for patterns.
 * What begins with a dot is none: bash before 5.2 finds `..` by `.[.]`.
 */
export const PLAIN_NAMES = /^(?!(?:.*\/)?\.[^/]*[*?[(])[!#-&(-[\]-~]+$/;

/** The same for what stands at the beginning of a word: whatever lies below, its first name is one that every program takes for a file. */
export const BARE_NAMES = /^(?!(?:.*\/)?\.[^/]*[*?[(])[\w.][\w.,+~#()[\]{}&-]*(?:\/[!#-&(-[\]-~]*)?$/;

/** The journals that SQLite keeps beside a database file. */
export function besideDatabase(database: string): readonly string[] {
  return [`${database}-wal`, `${database}-shm`, `${database}-journal`];
}

/** Programs that take a name as it is given: they make no home of a tilde. */
export const TAKES_NAMES: ReadonlySet<string> = new Set(
  (
    "cat tac nl head tail wc sort uniq cut paste join comm ls dir vdir cp mv rm rmdir mkdir touch ln chmod chown chgrp stat file du tee truncate install " +
    "readlink realpath find grep egrep fgrep rg sed awk gawk mawk diff cmp tar gzip gunzip zcat bzip2 bunzip2 xz unxz zip unzip less more xxd od hexdump " +
    "md5sum sha1sum sha256sum sha512sum cksum base64 split csplit shred test [ jq strings tree"
  ).split(" "),
);
