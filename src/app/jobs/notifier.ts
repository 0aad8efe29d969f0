import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { readSink, type Sink } from "../records/sink.ts";
import { startedByWords } from "../setup/outside-program.ts";
import { liesIn, writablePlaceIn } from "../setup/places-apart.ts";

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
