import type { Effect, PathOperand, Redirection, SimpleCommand } from "../model/model.ts";

/**
 * Whether a shell that reads its commands from a pipe or a file while it runs them may get more of them than the text says: `> /dev/stdin` and
 * `> /dev/fd/63` open the pipe once more, at its other end, so that what a command prints runs. `simples` and `effects`: the shell's and its script's.
 */
export function mayFeedItself(simples: readonly SimpleCommand[], effects: readonly Effect[]): boolean {
  const redirections = simples.flatMap((simple) => simple.redirections);
  // What is written to an output by its name is no effect of a redirection.
  if (redirections.some(standsForInput) && redirections.some(opensOutput)) return true;
  return effects.some(({ kind, path }) => kind === "writes" && path !== undefined && mayNameStream(path));
}

function opensOutput({ effect, target }: Redirection): boolean {
  return effect !== "duplicate" && effect !== "text" && target.kind === "literal" && target.value.startsWith("/dev/") && !SINK.test(target.value);
}

/** `3<&0`: the script has one more name. */
export function standsForInput({ effect, target }: Redirection): boolean {
  return effect === "duplicate" && (target.kind !== "literal" || target.value.startsWith("0"));
}

/** No stream. */
const SINK = /^\/dev\/(?:null|zero|full|shm\/.*)$/;
const PLACES = ["/dev/", "/proc/"];

function mayNameStream(path: PathOperand): boolean {
  if (path.kind === "literal") return PLACES.some((place) => path.path.startsWith(place)) && !SINK.test(path.path);
  const start = path.kind === "pattern" ? path.glob : path.prefix;
  return PLACES.some((place) => start.startsWith(place) || place.startsWith(start));
}
