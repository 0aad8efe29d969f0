import { analyseCommand } from "../../shell/analyse.ts";
import { quoteArgv } from "../../shell/render.ts";
import { realPath } from "./places-apart.ts";

/** What a word is to its program that is more than data, or that no table vouches for. */
const MORE_THAN_DATA: ReadonlySet<string> = new Set(["runs-code", "unknown", "undecidable", "privilege"]);

/** Why a word is more than data to its program, by the name that it was given or by its own; null if no table says so. */
export function startedByWords([program = "", ...words]: readonly string[]): string | null {
  for (const name of new Set([program, realPath(program)])) {
    const { simples, effects, repositories = [] } = analyseCommand(quoteArgv([name, ...words]), { cwd: "/", home: "/" });
    if (simples.length !== 1) return `\`${name}\` starts a program that its words name`;
    if (repositories.length > 0) return `\`${name}\` does what the configuration of a repository says`;
    // A program that is in no table is somebody's own, and is told apart by its path.
    const found = effects.find(({ kind, path }) => MORE_THAN_DATA.has(kind) && !(path?.kind === "literal" && path.path === name));
    if (found !== undefined) return found.cause;
  }
  return null;
}
