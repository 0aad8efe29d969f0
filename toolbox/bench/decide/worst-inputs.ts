import { LIMITS } from "../../../src/shell/model/limits.ts";

export type WorstInput = { readonly name: string; readonly text: string };

/** Tokens that open something, or mean more the more of them there are. */
const TOKENS: readonly string[] = [
  "$(",
  "`",
  "<(",
  "$((",
  "((",
  "a[$(",
  "a[",
  "${x:-",
  "${a[",
  "${x//",
  "{",
  "{ ",
  "{a,",
  "{1..9}",
  "(",
  "( ",
  "[[ ",
  "[[ a == ",
  '"',
  "'",
  "$'",
  '$"',
  '"$(',
  "\\",
  "\\\n",
  "<<E ",
  "<<E\n",
  "<<'E'\nE\n",
  "<<<x ",
  ">f ",
  "|",
  "|| ",
  "a|",
  "a&&",
  "a;",
  "a&",
  "a\n",
  "! ",
  "time ",
  "if a; then ",
  "for i in a b; do ",
  "while a; do ",
  "case a in a) ",
  "f() { ",
  "x=$x$x ",
  "x=a ",
  "x+=a;",
  "$x",
  "$x ",
  "*",
  "*/",
  "**/",
  "?",
  "[a",
  "@(a|",
  "!(",
  "~",
  "~a/",
  "../",
  "a/",
  "-a ",
  "--a ",
  "-",
  "é",
  "😀",
  "#",
  "coproc ",
  "eval ",
  "bash -c ",
  "sudo ",
  "env ",
  "env a=b ",
  "xargs ",
  "xargs -0 ls rgs -0 ls rgs -0 ",
  "timeout 1 ",
  "trap x ",
  "cd a;",
  "cd ..;",
  "find . -exec ",
  "sed -e p ",
  "rm *",
  "rm * ",
  "git -C a ",
  "cat *?*?",
  "rm ../a/../b ",
  "cat /../a/*/.. ",
  "> ../a/../b ",
];

/** Texts of 16 KiB, the longest that is analysed: one token over and over, alone, closed again, and as one program's words. */
export function worstInputs(): readonly WorstInput[] {
  const full = LIMITS.maxCharacters;
  const inputs = TOKENS.map((token) => ({ name: JSON.stringify(token), text: repeat(token, full) }));
  inputs.push(
    ...["sed ", "awk ", "jq ", "find . ", "grep ", "tar ", "echo ", "rm "].map((head) => ({
      name: `${head}and words`,
      text: head + repeat("a*b?c ", full - head.length),
    })),
    { name: "nested groups", text: repeat("{ ", full / 4) + repeat("} ", full / 4) },
    { name: "nested substitutions", text: `echo ${repeat("$(a ", 256)}${repeat(")", 64)}${repeat(" b", full - 512)}` },
    { name: "nested bash -c", text: nestedShells(full) },
    { name: "one long word", text: `cat ${repeat("a", full - 4)}` },
    { name: "one long path", text: `cat ${repeat("../a/", full - 4)}` },
    { name: "one long glob", text: `cat ${repeat("*a", full - 4)}` },
    { name: "one long glob of dots, behind find", text: `find . -name ${repeat(".", full - 16)}*` },
    { name: "one long word of quotes and braces", text: `echo ${repeat('"{"', full - 8)}` },
    { name: "one long brace list", text: `cat {${repeat("a,", full - 8)}b}` },
    { name: "one sed script", text: `sed '${repeat("s/a/b/;", full - 8)}'` },
    { name: "one awk program", text: `awk '${repeat("{print $1} ", full - 8)}'` },
    { name: "one jq filter", text: `jq '${repeat(".a|", full - 8)}'` },
    { name: "one arithmetic", text: `echo $((${repeat("1+", full - 16)}1))` },
    { name: "one here-document", text: `cat <<E\n${repeat("$(a) `b` ${c}\n", full - 16)}E\n` },
    { name: "one pipeline", text: repeat("cat a |", full - 4) + "cat" },
    { name: "doubling variables", text: repeat("x=$x$x;", full) },
    {
      name: "many variables",
      text: Array.from({ length: 1200 }, (_, at) => `x${at}=$x${at + 1};`)
        .join("")
        .slice(0, full),
    },
    { name: "many writes", text: repeat("a>b;", full) },
    { name: "many hosts and what is sent", text: `curl ${repeat("-d x h ", full - 8)}` },
    { name: "ever deeper directories", text: `git ${repeat("-Ct ", full - 8)}` },
    { name: "ever deeper, by cd", text: `${repeat("cd a&&", full - 8)}ls` },
    { name: "many cats", text: repeat("cat *.pem;", full) },
  );
  return inputs;
}

function repeat(token: string, length: number): string {
  return token.repeat(Math.max(1, Math.floor(length / token.length)));
}

/** `bash -c` in `bash -c`, as deep as the quotes, which double, leave room for. */
function nestedShells(length: number): string {
  let text = "ls";
  for (;;) {
    const next = `bash -c '${text.replaceAll("'", String.raw`'\''`)}'`;
    if (next.length > length) return text;
    text = next;
  }
}
