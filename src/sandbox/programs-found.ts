import type { PathFact } from "../policy/facts.ts";
import { commandEnvironment } from "./command-environment.ts";
import type { Session } from "./runtime.ts";

/** Which of these programs a command would find, in one look: by their paths, or in the `PATH` of its environment. */
export async function programsFound(
  programs: readonly string[],
  env: Readonly<Record<string, string>>,
  resolve: (paths: readonly string[]) => Promise<readonly PathFact[]>,
): Promise<ReadonlySet<string>> {
  if (programs.length === 0) return new Set();
  const directories = (env["PATH"] ?? "").split(":");
  const places = programs.map((program) => (program.startsWith("/") ? [program] : directories.map((directory) => `${directory}/${program}`)));
  const files = new Set((await resolve(places.flat())).flatMap((found) => (found.type === "file" ? [found.path] : [])));
  return new Set(programs.filter((_program, index) => places[index]?.some((place) => files.has(place)) === true));
}

/** The same of the commands of a session. */
export async function programsOf(session: Pick<Session, "profile" | "resolve">, programs: readonly string[]): Promise<ReadonlySet<string>> {
  const { profile } = session;
  return await programsFound(programs, commandEnvironment(profile, profile.home), (paths) => session.resolve(paths));
}
