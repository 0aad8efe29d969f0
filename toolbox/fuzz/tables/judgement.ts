import { analyseCommand } from "../../../src/shell/analyse.ts";
import type { CommandAnalysis, Effect } from "../../../src/shell/model/model.ts";
import { quoteWord } from "./quotation.ts";
import { MISSING } from "./vocabulary.ts";
import type { Deeds } from "./trace.ts";

/** Something that a command did and that was not predicted. */
export type Surprise = { readonly kind: "written" | "deleted" | "started" | "connected"; readonly what: string };

/** What is known beforehand of a command that starts in `/c/NUMBER`. */
export function predict(argv: readonly string[], number: number): CommandAnalysis {
  return analyseCommand(argv.map(quoteWord).join(" "), { cwd: `/c/${String(number)}`, home: "/home" });
}

const OPEN: ReadonlySet<string> = new Set(["unknown", "undecidable", "runs-code"]);

/** Whether everything that the command may do is asked about anyway. */
export function isOpen(analysis: CommandAnalysis): boolean {
  return analysis.effects.some(({ kind }) => OPEN.has(kind));
}

/** What the scripts that search compressed files start. */
const READING_GREP = ["gzip", "bzip2", "xz", "grep", "sed", "zgrep", "xzgrep", "bzgrep", "cat", "expr", "mktemp", "rm", "test", "egrep", "fgrep"];

/** Programs that start others of the system for themselves, always the same ones, with nothing that the command names. */
const HELPERS: Readonly<Record<string, readonly string[]>> = {
  // The stages of git itself.
  git: [
    "git",
    "git-remote-http",
    "git-remote-https",
    "git-upload-pack",
    "git-submodule",
    "git-bisect",
    "git-sh-setup",
    "git-sh-i18n--envsubst",
    "git-maintenance",
    "sh",
    "basename",
    "sed",
    "uname",
  ],
  // The filter that fits an archive's compression, from the system's folders.
  tar: ["gzip", "bzip2", "xz", "zstd", "lzma", "lzip", "lzop", "compress", "sh"],
  // Scripts of Debian's, which call what they are about.
  egrep: ["grep"],
  gunzip: ["gzip"],
  zcat: ["gzip"],
  zgrep: READING_GREP,
  xzgrep: READING_GREP,
  bzgrep: READING_GREP,
  which: ["which.debianutils"],
  // `--paginate` sends what it shows through pr.
  diff: ["pr"],
  sdiff: ["diff"],
  diff3: ["diff"],
  date: [],
};

/** Files that a program makes for itself, in one place and under names of its own. */
const SCRATCH: readonly { readonly program: string; readonly path: RegExp; readonly because: string }[] = [
  { program: "sed", path: /\/sed\w{6}$/, because: "the copy that replaces the edited file, beside it" },
  { program: "sort", path: /^\/tmp\/sort\w{6}$/, because: "runs that do not fit the memory" },
  { program: "patch", path: /^\/tmp\/p[a-z]\w{6}$|\/p[a-z]\w{6}$/, because: "the copy that replaces the patched file" },
  { program: "zip", path: /\/zi\w{6}$/, because: "the copy that replaces the archive, beside it" },
  { program: "sqlite3", path: /-(?:journal|wal|shm)$/, because: "the journal beside the database" },
  { program: "curl", path: /\/[0-9a-f]{40}\.tmp$/, because: "the copy that replaces the jar of cookies, beside it" },
  { program: "mktemp", path: /^\/tmp\/(?:tmp\.)?\w+[^/]*\/?$/, because: "a new, empty file of its own: what it is for" },
  { program: "shred", path: /\/0+$/, because: "the names that a file goes through, beside it, until it is removed" },
  { program: "ln", path: /\/Cu\w{6}$/, because: "the link that replaces another, beside it" },
  { program: "cp", path: /\/Cu\w{6}$/, because: "the link that replaces another, beside it (`--link --force`)" },
  { program: "git", path: /\/\.git\/index(?:\.lock)?$/, because: "the cache of what files look like, refreshed by status and diff" },
  { program: "git", path: /\/\.git\/FETCH_HEAD$/, because: "what the last fetch brought, for the next merge" },
  { program: "sdiff", path: /^\/tmp\/sdiff\w+$/, because: "what is edited" },
  { program: "ar", path: /\/st\w{6}$/, because: "the copy that replaces the archive, beside it" },
  { program: "zgrep", path: /^\/tmp\/zgrep\w+$/, because: "a pattern from a file" },
];

const NETWORK: ReadonlySet<string> = new Set(["connects", "sends", "remote", "publishes"]);
const REPOSITORY: ReadonlySet<string> = new Set(["history", "persists"]);
const LASTING: ReadonlySet<string> = new Set(["persists"]);

/** What a command did beyond the prediction. */
export function surprises(analysis: CommandAnalysis, deeds: Deeds, cwd: string): Surprise[] {
  const found: Surprise[] = [];
  const programs = new Set(analysis.simples.flatMap((simple) => [simple.program ?? "", ...simple.via]).map((name) => name.slice(name.lastIndexOf("/") + 1)));
  const has = (kinds: ReadonlySet<string>): boolean => analysis.effects.some(({ kind }) => kinds.has(kind));
  if (isOpen(analysis)) return [];
  const isPredicted = (path: string, kinds: readonly string[]): boolean =>
    /^\/dev\/|^\/proc\/self\//.test(path) ||
    SCRATCH.some((each) => programs.has(each.program) && each.path.test(path)) ||
    (has(REPOSITORY) && path.startsWith(`${cwd}/.git/`)) ||
    // The user's own settings, which git reads from then on: that is what `persists` says.
    (has(LASTING) && programs.has("git") && /^\/home\/\.gitconfig(?:\.lock)?$/.test(path)) ||
    // sqlite3 opens a database that is there for writing even to read it.
    (programs.has("sqlite3") &&
      path !== `${cwd}/${MISSING}` &&
      analysis.effects.some((effect) => effect.kind === "reads" && effect.path?.kind === "literal" && effect.path.path === path)) ||
    analysis.effects.some((effect) => kinds.includes(effect.kind) && covers(effect, path));
  // Git tries to remove the folders that its changes left empty, up to its own, which never is.
  const isOwnFolder = (path: string): boolean => has(REPOSITORY) && programs.has("git") && path === `${cwd}/.git`;
  for (const path of deeds.written) if (!isPredicted(path, ["writes", "deletes"])) found.push({ kind: "written", what: path.replace(cwd, ".") });
  for (const path of deeds.deleted)
    if (!isPredicted(path, ["deletes", "writes"]) && !isOwnFolder(path)) found.push({ kind: "deleted", what: path.replace(cwd, ".") });
  const helpers = new Set([...programs].flatMap((name) => HELPERS[name] ?? []));
  for (const name of deeds.started)
    if (!programs.has(name) && !helpers.has(name) && !isAlternative(name, programs)) found.push({ kind: "started", what: name });
  // hostname asks the resolver for the machine's own name.
  if (deeds.hasConnected && !has(NETWORK) && !programs.has("hostname")) found.push({ kind: "connected", what: "" });
  return found;
}

/** `awk` is a link to `gawk` or `mawk`. */
function isAlternative(name: string, programs: ReadonlySet<string>): boolean {
  return /^[gm]awk$/.test(name) && programs.has("awk");
}

/** The path itself, what lies below it, and what lies beside it under its name with an ending: `a~`, `a.gz`, `preaa`. */
function covers({ path: operand }: Effect, done: string): boolean {
  if (operand === undefined) return false;
  if (operand.kind === "literal" && done.endsWith("/") && operand.path.startsWith(done)) return true;
  const path = done.replace(/\/$/, "");
  if (operand.kind !== "literal") return path.startsWith(operand.kind === "dynamic" ? operand.prefix : operand.directory);
  const named = operand.path;
  if (path === named || path.startsWith(named === "/" ? "/" : `${named}/`)) return true;
  const slash = named.lastIndexOf("/") + 1;
  if (path.slice(0, path.lastIndexOf("/") + 1) !== named.slice(0, slash)) return false;
  return path.startsWith(named) || named.startsWith(`${path}.`) || /\.t[gx]z$/.test(named);
}
