import { parseGlob } from "../matching/glob.ts";
import type { CommandRule } from "../policy.ts";
import { plainWord } from "./glob-classes.ts";
import type { Wanted } from "./wanted.ts";

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/u;

/** The words as a shell takes them. */
export function commandText(argv: readonly string[]): string {
  return argv.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(" ");
}

/** Words behind the first ones of a program that do more than it does without them. */
const FURTHER: readonly (readonly string[])[] = [
  ["push"],
  ["commit", "-m", "a"],
  ["install"],
  ["run", "a"],
  ["-e", "a"],
  ["-c", "a"],
  ["a", "b"],
  ["-r", "a"],
  ["https://a.example"],
  ["-d", "a", "https://a.example"],
  ["-o", "a"],
  ["exec", "./a"],
];

/** The command with these words alone. */
export function exampleOf(argv: readonly string[]): Wanted {
  return { kind: "command", text: commandText(argv) };
}

/** A short command that the rule's pattern matches. */
export function exampleOfRule({ words }: CommandRule): Wanted {
  return exampleOf(words.flatMap((word) => (word.kind === "rest" ? [] : [plainWord(parseGlob(word.glob))])));
}

/** Commands with these words and, where the rule is open, with more behind them; each plain, and as no allow rule covers it. */
export function furtherExamplesOf(argv: readonly string[], rule: CommandRule): readonly Wanted[] {
  const isOpen = rule.words.at(-1)?.kind === "rest";
  const [text = "", ...longer] = [argv, ...(isOpen ? FURTHER.map((more) => [...argv, ...more]) : [])].map(commandText);
  // An option that nobody knows, where the rule takes any word or any more words.
  const last = rule.words.at(-1);
  const odd = isOpen ? [...argv, "--zz"] : last?.kind === "word" && last.glob === "*" ? [...argv.slice(0, -1), "--zz"] : null;
  const texts = [
    ...(odd === null ? [] : [commandText(odd)]),
    `${text} < /dev/null`,
    `${text} "$x"`,
    `${argv[0] ?? ""} $x`,
    `sudo ${text}`,
    ...longer,
    ...longer.map((one) => `${one} < /dev/null`),
  ];
  return texts.map((one) => ({ kind: "command", text: one }));
}
