import type { Role } from "../../../src/programs/table.ts";

/** Programs of the sandbox image whose tables are tried. The list's order is part of what a seed means: add at the end. */
export const TRIED: readonly string[] = [
  "git", "find", "sort", "tar", "sed", "awk", "gawk", "mawk", "grep", "egrep", "rg", "cp", "mv", "rm", "ln", "touch", "mkdir", "rmdir", "tee", "dd",
  "head", "tail", "cut", "uniq", "wc", "diff", "cmp", "comm", "join", "paste", "patch", "xargs", "env", "timeout", "nice", "nohup", "setsid", "stdbuf",
  "zip", "unzip", "gzip", "gunzip", "zcat", "xz", "xzcat", "bzip2", "jq", "sqlite3", "curl", "make", "python3", "perl", "node", "file", "stat", "du", "df", "od",
  "base64", "sha256sum", "md5sum", "cksum", "split", "csplit", "install", "chmod", "chown", "realpath", "readlink", "date", "printf", "test", "tree", "ls", "cat", "tac", "nl",
  "tr", "fold", "fmt", "expand", "pr", "shuf", "seq", "numfmt", "truncate", "shred", "link", "unlink", "mktemp", "mkfifo", "basename", "dirname", "which", "env", "bc",
  "diff3", "sdiff", "zgrep", "zdiff", "strings", "openssl", "ps", "id", "uname", "hostname", "iconv", "nproc", "column", "tsort", "ptx", "dircolors", "gcc", "bash", "sh",
  "nm", "objdump", "readelf", "size", "addr2line", "ar", "rev", "col", "hexdump", "namei", "sum", "b2sum", "sha1sum", "sha512sum", "pathchk", "bunzip2", "bzcat", "unxz", "xzgrep", "zipinfo", "dash", "tty", "free",
  "lscpu", "lsblk", "getopt", "look", "colrm", "unexpand", "vdir", "dir", "groups", "whoami", "printenv", "true", "sleep", "logname", "pgrep", "uptime", "locale", "getconf", "bzgrep", "arch", "expr", "factor",
]; // prettier-ignore

/** The one name of {@link VALUES} that no fixture holds. */
export const MISSING = "missing";

const FILES = [
  "a.txt",
  "b.txt",
  "d",
  "d/c.txt",
  "names.txt",
  "j.json",
  MISSING,
  "/etc/passwd",
  "a.tar",
  "a.txt.gz",
  "a.zip",
  "db.sqlite",
  "x.sh",
  "p.diff",
  "../far/a.txt",
] as const;
const TARGETS = ["out", "d/out", "b.txt", "../far/out", "/far/out", "new/out", "d", "-"] as const;

/** Values for each role; a role that is not named takes those of `text`. */
export const VALUES: Partial<Readonly<Record<Role, readonly string[]>>> = {
  text: ["x", "5", "1", "a", ",", ":", "../far/t", "/far/t", "%s", "0", "2k", "always", "d/pre", "1,2", "=", "-1", "all", "a.txt", "/x", "%p", "10", "name", "@a.txt", "*"],
  read: FILES, "read-tree": FILES, list: ["names.txt", "a.txt", "-"], object: [...FILES, "@a.txt"], write: TARGETS, "write-tree": TARGETS,
  delete: ["a.txt", "d", "b.txt", "d/c.txt", "missing"], "delete-tree": ["a.txt", "d", "b.txt"], move: ["a.txt", "d", "d/c.txt"], replace: ["a.txt", "b.txt", "a.txt.gz", "d"],
  suffix: [".bak", "~", "../far/*", "d/*", "x"], source: FILES, target: TARGETS,
  url: ["http://127.0.0.1:9/x", "file:///etc/passwd", "http://host.test/x"], host: ["127.0.0.1", "host.test"], "git-url": ["origin", ".", "../far", "http://127.0.0.1:9/r"],
  code: ["./x.sh", "cat", "1"], "code-file": ["x.sh", "prog", "a.txt"], shell: ["cat a.txt", "./x.sh", "cat >out"], directory: ["d", ".", "../far"], repository: [".", "d"],
  environment: ["A=b", "X="], mode: ["644", "u+x", "a-w", "4755", "+t"],
  "sed-script": ["p", "s/a/b/", "w out", "s/a/b/w d/out", "1e ./x.sh", "s/x/.\\/x.sh/e", "r a.txt", "R names.txt", "y/abc/xyz/", "$!N;P;D", "1,3{p;w ../far/s\n}", "/a/,/b/d", "a\\\ntext", "2q", "i foo", "c\\", "=", "l", "n;d", "e cat a.txt", "W out", "s,a,b,gpw out", "1~2d", "\\,a,p", "F", "z", "b;w out", ":a;w out", "s/[/]/x/w out", "}", "s/a/b/M;w out", "0,/a/{//!d}", "v", "Q3", "T;w out"],
  "awk-program": ["{print}", "{print > \"out\"}", "{print $1 >> \"d/out\"}", "{print | \"cat\"}", "BEGIN{system(\"./x.sh\")}", "BEGIN{\"cat a.txt\"|getline x}", "{gsub(/a/,\"b\")}1", "NR==1{n=$1}END{print n}", "BEGIN{getline l < \"a.txt\"; print l}", "{a[$1]++}END{for(k in a)print k}", "{printf \"%s\\n\",$1 > \"/dev/stderr\"}", "BEGIN{print length(\"x > y\")}", "{ print ($1 > 2) }", "/x|y/", "BEGIN{printf(\"x\") > \"out\"}", "BEGIN { close(\"x\"); fflush() }", "function f(x){return x}{print f($1)}", "BEGIN{print 1 > 2 ? 3 : 4}", "BEGIN{ print \"a\" \"b\" > \"o\" \"ut\" }", "$1 ~ \"a\"", "BEGIN{@f()}"],
  "jq-filter": [".", ".a", "env", "input", "keys", "[.[]|.a]", "import \"a\" as a; .", "$ENV", "input_filename", "@base64", "debug", "limit(1;.[])", "$__loc__", "getpath([\"a\"])", "include \"a\"; ."],
  sql: ["select 1", "select * from t", "insert into t values(1)", ".tables", ".shell ./x.sh", ".output out", ".dump", "attach 'other.db' as o; create table o.t(a)", "vacuum into 'out'", "select writefile('out','x')", "pragma user_version", "pragma user_version=3", "explain select 1", ".once out", ".backup out", ".log out", ".read a.txt", "create temp table z(a)", "select readfile('a.txt')", ".schema", ".save out", ".import a.txt t", ".excel", ".cd d", ".open other.db", "with x as (select 1) select * from x", "with x as (select 1) insert into t select * from x"],
  "git-config": ["core.pager=./x.sh", "color.ui=never", "alias.z=!./x.sh", "user.name=x", "core.fsmonitor=./x.sh", "diff.external=./x.sh", "core.quotepath=off", "core.editor=./x.sh", "log.showSignature=true"],
  "git-format": ["%h", "oneline", "format:%H%n", "%G?", "%(refname)", "%(contents:size)"], revision: ["HEAD", "HEAD~1", "a.txt", "HEAD:a.txt", "main", "d", "--", "HEAD..HEAD", "missing"],
  setting: ["x", "a=b"], date: ["+%F", "+%s", "12:00"], data: ["x=1", "@a.txt"], form: ["x=@a.txt", "x=y"], encoded: ["x@a.txt", "y"], field: ["x=1"],
  "curl-format": ["%{http_code}", "%output{out}x", "@a.txt"], header: ["A: b", "@a.txt"], secret: ["a:b", "a.txt"], value: ["x", "file://a.txt"], "kube-resource": ["pods"], "ssh-option": ["BatchMode=yes"],
}; // prettier-ignore

/** Words for programs whose operands a reader in TypeScript takes apart. */
export const OPERANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  find: [["."], ["d"], ["../far"], ["-name", "*.txt"], ["-type", "f"], ["-delete"], ["-exec", "cat", "{}", ";"], ["-exec", "./x.sh", "{}", "+"], ["-execdir", "rm", "{}", ";"], ["-ok", "rm", "{}", ";"],
    ["-fprint", "out"], ["-fprintf", "../far/o", "%p"], ["-fls", "d/out"], ["-fprint0", "out"], ["-print0"], ["-prune"], ["-o"], ["("], [")"], ["!"], ["-newer", "a.txt"], ["-maxdepth", "1"], ["-mindepth", "1"], ["-quit"],
    ["-samefile", "a.txt"], ["-files0-from", "names.txt"], ["-size", "+1k"], ["-regex", ".*"], ["-printf", "%p\\n"], ["-ls"], ["-empty"], ["-L"], ["-H"], ["-O3"], ["-D", "tree"], [","], ["-exec", "sh", "-c", "cat >out", ";"], ["-exec", "tee", "out", ";"], ["-a"], ["-mtime", "-1"], ["-depth"], ["-xdev"]],
  dd: [["if=a.txt"], ["of=out"], ["of=../far/o"], ["bs=1"], ["count=1"], ["conv=notrunc"], ["status=none"], ["if=/dev/zero"], ["seek=1"], ["skip=1"], ["oflag=append"], ["iflag=nofollow"], ["of=b.txt"], ["conv=sync,noerror"]],
  test: [["-f", "a.txt"], ["-e", "out"], ["a", "=", "b"], ["-n", "x"], ["!"], ["a.txt", "-nt", "b.txt"], ["1", "-gt", "0"], ["-v", "x"], ["-t", "1"]],
  printf: [["%s\\n", "x"], ["%d", "5"], ["x"], ["%b", "\\x41"], ["-v", "x", "y"], ["--", "x"]],
  ps: [["aux"], ["-ef"], ["-o", "pid,comm"], ["e"], ["-p", "1"], ["--sort=-rss"], ["ax"]],
  xargs: [["cat"], ["rm"], ["echo"], ["tee"], ["sh", "-c", "cat"], ["./x.sh"], ["sort"], ["cp", "a.txt"], ["wc", "-l"], ["grep", "x"], ["touch"], ["ls", "-l"], ["-I{}", "cp", "a.txt", "{}"], ["-n1", "cat"], ["gzip"]],
  env: [["A=b", "cat", "a.txt"], ["ls"], ["-S", "cat a.txt"], ["./x.sh"], ["-C", "d", "touch", "y"], ["-u", "X", "tee", "out"], ["PATH=.", "x.sh"], ["-i", "/bin/cat", "a.txt"], ["-", "touch", "z"], []],
  bash: [["-c", "cat a.txt"], ["-c", "cat >out"], ["x.sh"], ["-n", "x.sh"], ["-c", "./x.sh"], ["-e", "-c", "ls"], ["-o", "errexit", "-c", "touch q"]],
  sh: [["-c", "cat a.txt"], ["-c", "rm a.txt"], ["x.sh"], ["-n", "x.sh"], ["-ec", "ls"]],
  tar: [["-cf", "out.tar", "a.txt"], ["cf", "../far/o.tar", "d"], ["-tf", "a.tar"], ["tf", "a.tar"], ["-xf", "a.tar"], ["xf", "a.tar"], ["-xf", "a.tar", "-C", "d"], ["-xOf", "a.tar"], ["czf", "o.tgz", "a.txt"], ["-rf", "a.tar", "b.txt"], ["-df", "a.tar"], ["-uf", "a.tar", "a.txt"], ["--delete", "-f", "a.tar", "a.txt"], ["-cf", "-", "d"], ["--extract", "--file=a.tar"], ["--list", "--file", "a.tar"], ["-Af", "a.tar", "a.tar"]],
}; // prettier-ignore

/** Options that a table may or may not name: what is not named must be `unknown`. */
export const STRANGE: readonly string[] = ["-Z", "-o", "-oout", "--output=out", "--out=out", "-i", "-w", "-wout", "--exec=./x.sh", "--log-file=out", "-f", "--file=a.txt", "-E", "-R", "--config=a.txt", "-k", "-T../far", "-Y", "-J", "--debug", "-@", "-W", "--write", "--trace=out", "-F", "-X", "-e", "--edit"]; // prettier-ignore
