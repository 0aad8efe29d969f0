import { analyseCommand } from "../../shell/analyse.ts";
import { quoteArgv } from "../../shell/render.ts";
import { realPath } from "./places-apart.ts";

/** What a word is to its program that is more than data, or that no table vouches for. */
const MORE_THAN_DATA: ReadonlySet<string> = new Set(["runs-code", "unknown", "undecidable", "privilege"]);

/** `perl5.36.0` is perl, and `tclsh8.6` tclsh. */
const VERSION = /(?<=[a-z])[-_]?\d[\w.+-]*$/u;

/** Why a word is more than data to its program, by the name that it was given or by its own; null if no table says so. */
export function startedByWords([program = "", ...words]: readonly string[]): string | null {
  for (const name of new Set([program, realPath(program)])) {
    const { cause, isKnown } = judged([name, ...words]);
    const found = cause ?? (isKnown ? null : (judged([name.replace(VERSION, ""), ...words]).cause ?? startedBehind(name, words)));
    if (found !== null) return found;
  }
  return null;
}

/** `isKnown`: a table has the program. One that is in none is somebody's own, and is told apart by its path. */
function judged(argv: readonly string[]): { readonly cause: string | null; readonly isKnown: boolean } {
  const [name = ""] = argv;
  const { simples, effects, repositories = [] } = analyseCommand(quoteArgv(argv), { cwd: "/", home: "/" });
  if (simples.length !== 1) return { cause: `\`${name}\` starts a program that its words name`, isKnown: true };
  if (repositories.length > 0) return { cause: `\`${name}\` does what the configuration of a repository says`, isKnown: true };
  const own = effects.find(({ path }) => path?.kind === "literal" && path.path === name);
  return { cause: effects.find((effect) => effect !== own && MORE_THAN_DATA.has(effect.kind))?.cause ?? null, isKnown: own === undefined };
}

/** A program that is in no table may start what its words name (`fakeroot sh x`): so none of them begins a command that runs code. */
function startedBehind(name: string, words: readonly string[]): string | null {
  for (const [index, word] of words.entries()) {
    const { simples, effects } = analyseCommand(quoteArgv(words.slice(index)), { cwd: "/", home: "/" });
    const runs = effects.some(({ kind, path }) => kind === "runs-code" && !(path?.kind === "literal" && path.path === word));
    if (runs || simples.length > 1) return `\`${name}\` is in no table of programs and may start \`${word}\`, which its words name`;
  }
  return null;
}
