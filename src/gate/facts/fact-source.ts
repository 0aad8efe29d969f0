import { posix } from "node:path";
import { MAX_READ_BYTES, type Session } from "../../sandbox/runtime.ts";
import { pagesIn, plainTables } from "./sqlite-tables.ts";
import { type RepositoryLook, whatSteersGit } from "./git-settings.ts";
import { together } from "./together.ts";
import { trackedBelow } from "./git-tracked-names.ts";

/** Where facts about paths come from: a session's metadata verbs, or the host where there is no session. Of contents only what the analysis goes by. */
export type FactSource = Pick<Session, "resolve" | "hash" | "texts" | "names" | "publicOnly" | "publicHeld"> & {
  /** Null: nobody knows. */
  readonly privateKeys: Session["privateKeys"] | null;
  readonly measured: "session" | "host";
  /** The tables of each database that holds nothing but ordinary tables and indexes; null: others, or nobody knows. */
  tables(databases: readonly string[]): Promise<readonly (readonly string[] | null)[]>;
  /** What makes git run something, or obey a file that nobody looked at, when it starts in a directory. Null: nothing. */
  steersGit(look: RepositoryLook): Promise<string | null>;
  /** The names in the index of the repository that a directory belongs to: from its top, and those below the directory from there. Null: nobody knows. */
  tracked(directory: string): Promise<readonly string[] | null>;
};

/** Facts as the sandbox sees them, overlay included. */
export function sessionFacts(session: Session): FactSource {
  return {
    measured: "session",
    publicOnly: session.publicOnly,
    publicHeld: session.publicHeld,
    privateKeys: session.privateKeys,
    resolve: together((paths) => session.resolve(paths)),
    hash: (paths) => session.hash(paths),
    texts: (paths) => session.texts(paths),
    tracked: (directory) => trackedBelow(session, directory),
    // No directory becomes a repository there by what lies in it: git is told so (command-environment.ts).
    steersGit: (look) => whatSteersGit(session, { ...look, mayBecomeBare: false }, configurationOfCommands(session)),
    tables: (databases) => Promise.all(databases.map((path) => tablesIn(session, path))),
    names: (directory, depth) => session.names(directory, depth),
  };
}

async function tablesIn(session: Session, path: string): Promise<readonly string[] | null> {
  const bytes = await session.bytes(path, MAX_READ_BYTES);
  return bytes === null ? null : await plainTables(pagesIn(bytes));
}

/** Where git looks for a person's own configuration, if the home is no root of theirs but a sandbox's scratch space. */
function configurationOfCommands({ profile: { home, roots } }: Session): readonly string[] {
  if (roots.some(({ path }) => home === path || home.startsWith(`${path}/`))) return [];
  return [".gitconfig", ".config/git/config"].map((name) => posix.join(home, name));
}
