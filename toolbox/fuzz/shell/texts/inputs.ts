import { PLAIN, PROGRAMS } from "./vocabulary.ts";
import type { Growth } from "./words.ts";
import { quoted, word } from "./words.ts";

// Texts whose point is what is printed, fed and written between the lines; see `idioms.ts`.

/** What a command prints, where it becomes words, a script or a target. */
export function printed(growth: Growth, depth: number): string {
  const { random } = growth;
  const words = (): string =>
    Array.from({ length: 1 + random.below(3) }, () =>
      random.pick([...PLAIN, ...PROGRAMS, "'a b'", "'*'", "a\\\\b", "'$x'", '"$x"', "-n", "-e", "'a\nb'", "~", "{a,b}", "'\\n'", word(growth, depth + 1)]),
    ).join(" ");
  const print = (): string =>
    random.pick([
      `echo ${words()}`,
      `echo ${words()}`,
      `echo -n ${words()}`,
      `printf ${words()}`,
      `printf '%s\\n' ${words()}`,
      `printf %s ${words()}`,
      `cat <<< ${random.pick(PLAIN)}`,
      `echo ${words()} >&2`,
      `echo ${words()}; echo b`,
      `command echo ${words()}`,
      `pwd`,
      `true`,
      `echo ${words()} | cat`,
      `x=${random.pick(PLAIN)}; echo $x`,
    ]);
  const substitution = (): string => (random.once(4) ? `\`${print().replaceAll(/[`\\]/g, "\\$&")}\`` : `$(${print()})`);
  return random.pick([
    () => `tee ${substitution()}`,
    () => `tee "${substitution()}"`,
    () => `x=${substitution()}; tee $x`,
    () => `x="${substitution()}"; tee "$x"`,
    () => `${substitution()} a`,
    () => `echo >${substitution()}`,
    () => `bash -c "${substitution()}"`,
    () => `eval "${substitution()}"`,
    () => `for q in ${substitution()}; do tee $q; done`,
    () => `bash <<< "${substitution()}"`,
    () => `cat <<E | bash\n${substitution()}\nE`,
    () => `tee a${substitution()}b ${substitution()}`,
    () => `tee <(${print()})`,
    () => `echo() { rm; }; tee ${substitution()}`,
  ])();
}

/** What stands on the input of a command that runs it, or makes words of it. */
export function fed(growth: Growth, depth: number): string {
  const { random } = growth;
  const line = (): string => random.pick([...PROGRAMS, "a", "'a b'", '"a b"', "a b", "-x", "rm a", "$x", "*", "'\\a'", "a\\nb", word(growth, depth + 1)]);
  const source = (): string =>
    random.pick([
      `echo ${line()}`,
      `echo ${line()} ${line()}`,
      `printf '%s\\n' ${line()} ${line()}`,
      `printf '%s\\0' ${line()}`,
      `printf ${line()}`,
      "ls",
      "find .",
      "find d -print0",
      "cat f",
      "cat",
      `cat <<< ${line()}`,
      `tee ${line()}`,
      "seq 3",
      `(echo ${line()})`,
      `{ echo ${line()}; ls; }`,
      "git ls-files",
      "grep -l a *",
    ]);
  const taker = (): string =>
    random.pick([
      "xargs",
      "xargs rm",
      "xargs -n1 rm",
      "xargs -I{} rm {} b",
      "xargs -I % sh -c 'id %'",
      "xargs -0 rm",
      "xargs sh -c 'id $1' z",
      "xargs -L1 tee",
      "xargs -r rm --",
      "xargs -a f rm",
      "xargs -d '\\n' tee",
      "xargs -i rm {}",
      "xargs -P 2 -n 1 id",
      "xargs env",
      "xargs -t ls",
      "bash",
      "sh",
      "bash -s a",
      "bash -x",
      "while read q; do tee $q; done",
      "while read -r q; do $q; done",
      "(cat; ls)",
      "{ read q; tee $q; }",
      "tee >(bash)",
      "bash -c 'cat; read q; $q'",
      "sh -c 'read q; tee $q'",
      "mapfile -t q",
      "xargs -x find",
      "xargs find . -name",
      "timeout 5 xargs rm",
      "nice xargs -n 2 tee",
      "xargs xargs rm",
      "env xargs rm",
      "command xargs rm",
      "time xargs rm",
      "f",
      "exec bash",
    ]);
  return random.pick([
    () => `${source()} | ${taker()}`,
    () => `${source()} |& ${taker()}`,
    () => `${source()} | tee a | ${taker()}`,
    () => `${taker()} < <(${source()})`,
    () => `${taker()} <<< ${line()}`,
    () => `${taker()} <f`,
    taker,
    () => `f() { ${taker()}; }; ${source()} | f`,
    () => `${source()} | { ${taker()}; ${taker()}; }`,
    () => `${source()} | if ls; then ${taker()}; fi`,
    () => `exec <f; ${taker()}`,
    () => `${source()} | (${taker()})`,
    () => `${source()} | ${taker()} <f`,
    () => `${source()} | bash -c ${quoted(growth, taker())}`,
    () => `exec < <(${source()}); ${taker()}`,
    () => `${taker()} <<E\n${line()}\nE`,
  ])();
}

/** Here-documents: several on a line, with odd ends, continued lines, in odd places. */
export function documents(growth: Growth, depth: number): string {
  const { random } = growth;
  const end = random.pick(["E", "E", "E", "EOF", "E-F", "E.F", "-", "E$", "é"]);
  const mark = random.pick([end, end, `'${end}'`, `"${end}"`, `\\${end}`, `${end.slice(0, 1)}""${end.slice(1)}`, ` ${end}`]);
  const line = (): string =>
    random.pick([
      "a",
      "$x",
      "$(id)",
      "`id`",
      "\\$x",
      "a\\",
      "\\",
      `${end} `,
      ` ${end}`,
      `\t${end}`,
      `${end}\\`,
      "${x:-$(id)}",
      "'",
      '"',
      "id",
      "rm a",
      "#",
      "$((1+1))",
      "${x:-'a'}",
      word(growth, depth + 1).replaceAll("\n", " "),
    ]);
  const body = (): string => Array.from({ length: random.below(4) }, line).join("\n");
  const text = (): string => `${body()}\n${end}`.replace(/^\n/, "");
  const taker = random.pick(["cat", "bash", "sh", "tee a", "xargs rm", "while read q; do tee $q; done", "", "eval", "f()", "bash -s b"]);
  const dash = random.pick(["", "", "-"]);
  return random.pick([
    () => `${taker} <<${dash}${mark}\n${text()}`,
    () => `${taker} <<${dash}${mark}\n${text()}\nid`,
    () => `${taker} <<${dash}${mark}; id\n${text()}\n`,
    () => `${taker} <<${mark} | bash\n${text()}\n`,
    () => `${taker} <<${mark} && id\n${text()}\nls`,
    () => `cat <<${mark} <<F\n${text()}\n${line()}\nF\n`,
    () => `x=$(cat <<${mark}\n${text()}\n); tee "$x"`,
    () => `bash -c "$(cat <<${mark}\n${text()}\n)"`,
    () => `if cat <<${mark}; then\n${text()}\nid; fi`,
    () => `f() { cat <<${mark}\n${text()}\n}; f`,
    () => `f() { cat; } <<${mark}\n${text()}\nf`,
    () => `(cat <<${mark}\n${text()}\n)`,
    () => `cat <(cat <<${mark}\n${text()}\n)`,
    () => `eval 'cat <<E\na\nE\nid'`,
    () => `cat <<${mark}\n${body()}`,
    () => `while read q; do tee $q; done <<${mark}\n${text()}\n`,
    () => `cat 3<<${mark} <&3\n${text()}\n`,
    () => `echo "$(cat <<${mark}\n${text()}\n)" '${end}'\nid`,
    () => `cat <<${mark} # c\n${text()}\nls`,
    () => `cat <<${mark} \\\n| id\n${text()}\nls`,
  ])();
}
