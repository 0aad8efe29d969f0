import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { analyseCommand } from "../../shell/analyse.ts";
import { quoteArgv } from "../../shell/render.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { readSink, type Sink } from "../records/sink.ts";
import { liesIn, realPath, writablePlaceIn } from "../setup/places-apart.ts";

/** What a word is to its program that is more than data, or that no table vouches for. */
const MORE_THAN_DATA: ReadonlySet<string> = new Set(["runs-code", "unknown", "undecidable", "privilege"]);

/**
 * Throws `usage` for a sink that an agent could have made, or could lead elsewhere by a link; and for a program to which a word is more than
 * data: a shell, an interpreter, a program that starts another one.
 */
export function checkSink(sink: Sink, writable: readonly string[]): void {
  const inside = sink.kind === "command" ? writablePlaceIn(sink.argv, writable) : sink.kind === "file" && liesIn(sink.path, writable) ? sink.path : undefined;
  if (inside !== undefined)
    throw new AgentError(
      "usage",
      `Nobody is told through ${inside}: it lies where the agent may write, so that the agent could change what runs or is written there. Use a place outside.`,
    );
  const cause = sink.kind === "command" ? startedByWords(sink.argv) : null;
  if (cause === null) return;
  throw new AgentError("usage", `A notifier is one program whose words are data, and this one could run another text than its own: ${cause}.`, {
    remedy: "Make your script executable, with `#!` and its interpreter in the first line, and name the script itself: command:/ABSOLUTE/SCRIPT WORDS.",
  });
}

/** SHA-256 of the program that is told, as it is now; null for another place, and for a program that cannot be read. */
export function notifierDigest(notify: string | null): string | null {
  const sink = notify === null ? null : readSink(notify);
  if (sink?.kind !== "command") return null;
  try {
    return sha256(readRegular(sink.argv[0] ?? "", "usage"));
  } catch (error) {
    if (error instanceof AgentError || (error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}

/** Why a program is not told any more. */
export function changedNotifier(job: string, notify: string): string {
  return `${notify} is gone, or says something else than when a person confirmed it. See: warder schedule confirm ${job}`;
}

/** Why a word is more than data to its program, by the name that it was given or by its own; null if no table says so. */
function startedByWords([program = "", ...words]: readonly string[]): string | null {
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
