import type { Random } from "../../../shared/random.ts";
import { INSERTIONS } from "./vocabulary.ts";

const TOKEN = /\s+|'[^']*'|"[^"]*"|\$\(\(?|\)\)?|&&|\|\||;;&?|;&|<<-?|>>|[<>]\(|[\w./=-]+|[^]/g;

/** The tokens of a text, which joined again are the text. */
export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** A text made from one of the given ones, or from `start`, by a few changes, small and large. */
export function mutateText(random: Random, seeds: readonly string[], start?: string): string {
  let text = start ?? random.pick(seeds);
  for (let count = 1 + random.below(3); count > 0; count -= 1) text = change(random, text, seeds);
  return text.slice(0, 2000);
}

function change(random: Random, text: string, seeds: readonly string[]): string {
  const tokens = tokensOf(text);
  const at = random.below(tokens.length + 1);
  switch (random.below(10)) {
    case 0:
      tokens.splice(at, 1 + random.below(2));
      return tokens.join("");
    case 1:
      tokens.splice(at, 0, tokens[random.below(tokens.length)] ?? "");
      return tokens.join("");
    case 2:
    case 3:
      tokens.splice(at, 0, random.pick(INSERTIONS));
      return tokens.join("");
    case 4:
      tokens.splice(at, 1, random.pick(INSERTIONS));
      return tokens.join("");
    case 5: {
      const other = tokensOf(random.pick(seeds));
      const from = random.below(other.length);
      tokens.splice(at, random.below(3), ...other.slice(from, from + 1 + random.below(6)));
      return tokens.join("");
    }
    case 6: {
      const place = random.below(text.length + 1);
      return text.slice(0, place) + random.pick(INSERTIONS) + text.slice(place + random.below(2));
    }
    case 7:
      return `${text}${random.pick(["; ", " | ", " && ", "\n", " & "])}${random.pick(seeds)}`;
    default:
      return wrap(random, text);
  }
}

function wrap(random: Random, text: string): string {
  const single = `'${text.replaceAll("'", "'\\''")}'`;
  return random.pick([
    `echo $(${text})`,
    `echo "$(${text})"`,
    `(${text})`,
    `{ ${text}; }`,
    `{ ${text}\n}`,
    `f() { ${text}\n}; f`,
    `if ${text}; then id; fi`,
    `for x in a b; do ${text}; done`,
    `bash -c ${single}`,
    `eval ${single}`,
    `sh -c ${single}`,
    `x=$(${text}); echo $x`,
    `cat <<E\n${text}\nE\n`,
    `cat <(${text})`,
    `! ${text}`,
    `env ${text}`,
    `x=${text}`,
    `echo "${text}"`,
    `echo \${x:-${text}}`,
    `trap ${single} EXIT`,
  ]);
}
