import { HARMLESS } from "./git-config.ts";

/** One line of a configuration of git: `remote.origin.url`, its value without quotes; null: none, which means true. */
export type GitSetting = {
  /** Section and key in lower case, the subsection as it is written. */
  readonly section: string;
  readonly subsection: string | null;
  readonly key: string;
  readonly value: string | null;
};

// ASCII, as git has it: what else JavaScript takes for a blank would end a name for it alone.
const HEADER = /^[ \t]*\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\][ \t]*(?:[#;].*)?$/;
const SETTING = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*))?$/;
const NOTHING = /^[ \t]*(?:[#;].*)?$/;

/**
 * What a configuration of git says, or null where this reader does not know: a value that goes on in the next line, a setting beside its section's name, and
 * whatever git itself does not write. `text` has a character for each byte.
 */
export function readGitSettings(text: string): readonly GitSetting[] | null {
  const settings: GitSetting[] = [];
  let section: Pick<GitSetting, "section" | "subsection"> | null = null;
  for (const line of text.split("\n").map((each) => each.replace(/\r$/, ""))) {
    if (NOTHING.test(line)) continue;
    if (/[\0\r]/.test(line)) return null;
    const header = HEADER.exec(line);
    if (header !== null) {
      section = sectionOf(header[1] ?? "", header[2]);
      continue;
    }
    const found = SETTING.exec(line);
    const value = found?.[2] === undefined ? null : readValue(found[2]);
    if (found === null || section === null || value === undefined) return null;
    settings.push({ ...section, key: (found[1] ?? "").toLowerCase(), value });
  }
  return settings;
}

/** `[a.B]` is the older way to write `[a "b"]`. */
function sectionOf(name: string, quoted: string | undefined): Pick<GitSetting, "section" | "subsection"> {
  const lower = name.toLowerCase();
  const dot = lower.indexOf(".");
  if (quoted !== undefined) return { section: lower, subsection: quoted.replace(/\\(.)/g, "$1") };
  return dot < 0 ? { section: lower, subsection: null } : { section: lower.slice(0, dot), subsection: lower.slice(dot + 1) };
}

const ESCAPED = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["b", "\b"],
  ['"', '"'],
  ["\\", "\\"],
]);

/** A value without quotes, escapes and comment; undefined: git would read on in the next line, or refuse it. */
function readValue(text: string): string | undefined {
  let value = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "\\") {
      const escaped = ESCAPED.get(text.charAt((at += 1)));
      if (escaped === undefined) return undefined;
      value += escaped;
    } else if (!isQuoted && (character === "#" || character === ";")) break;
    else value += character;
  }
  return isQuoted ? undefined : value.replace(/^[ \t]+|[ \t]+$/g, "");
}

/** No program, no path and no address either, but not for a word of a command: what is said here a person set up, and no model. */
const IN_FILES =
  /^(?:core\.(?:repositoryformatversion|symlinks|sharedrepository|compression|loosecompression|sparsecheckout|sparsecheckoutcone|multipackindex|commitgraph|splitindex|bigfilethreshold|longpaths|fscache|hidedotfiles|protecthfs|protectntfs|trustctime|checkstat|deltabasecachelimit|packedgit\w+|warnambiguousrefs|maxtreedepth|fsync\w*|createobject)|extensions\.(?:objectformat|compatobjectformat|worktreeconfig|refstorage|noop|preciousobjects|relativeworktrees)|user\.(?:signingkey|useconfigonly)|(?:commit|tag)\.gpgsign|commit\.(?:verbose|status|cleanup)|gpg\.format|pull\.autostash|push\.\w+|fetch\.(?:prune|prunetags|parallel|writecommitgraph|output|fsckobjects|showforcedupdates|recursesubmodules)|transfer\.fsckobjects|receive\.(?:deny\w+|fsckobjects|autogc)|merge\.(?:renamelimit|renormalize|stat|log|verbosity|branchdesc|autostash|tool|guitool|directoryrenames|defaulttoupstream)|diff\.(?:tool|guitool|ignoresubmodules|indentheuristic|dirstat|relative|statnamewidth)|log\.(?:mailmap|diffmerges)|rebase\.(?:updaterefs|stat|missingcommitscheck|abbreviatecommands|reschedulefailedexec)|rerere\.\w+|index\.\w+|pack\.\w+|repack\.\w+|gc\.(?:autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable|worktreepruneexpire|packrefs|cruftpacks|writecommitgraph|bigpackthreshold|aggressive\w+|rerere\w+)|maintenance\.strategy|submodule\.(?:recurse|active|fetchjobs)|http\.(?:postbuffer|version|lowspeedlimit|lowspeedtime|maxrequests|extraheader)|protocol\.version|lfs\.(?:repositoryformatversion|locksverify|access)|gui\.\w+|checkout\.(?:defaultremote|guess|workers|thresholdforparallelism)|branch\.(?:autosetupmerge|autosetuprebase)|credential\.(?:username|usehttppath)|worktree\.guessremote|apply\.whitespace|clean\.requireforce)$/;

/** The same with a name between section and key. */
const WITH_NAME =
  /^(?:remote\.(?:fetch|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|followremotehead|gh-resolved)|branch\.(?:merge|rebase|description|vscode-merge-base|gh-merge-base|github-pr-owner-number|gk-[\w-]+)|submodule\.(?:active|branch|path|ignore|shallow|fetchrecursesubmodules)|maintenance\.(?:enabled|schedule)|diff\.(?:binary|xfuncname|funcname|wordregex|cachetextconv)|merge\.(?:name|recursive)|color\.\w+|http\.(?:postbuffer|version|extraheader)|lfs\.(?:access|locksverify)|credential\.(?:username|usehttppath))$/;

/** What git speaks to by a protocol of its own. `name::` starts a program of this name, and a dash is an option of ssh. */
const ON_THE_NETWORK = /^(?:(?:https?|ftps?|ssh|git|git\+ssh|ssh\+git):\/\/(?!-)|(?![-+])[\w.@%+~-]+:(?!:|\/\/))/;
const LOCAL = /^(?:file:\/\/|\.{0,2}\/|(?!-)[^:]*$)/;

/** Values with which a key does no harm. `core.fsmonitor` may be a program's name; git's own starts for true. */
const VALUES: Readonly<Record<string, RegExp>> = {
  "core.fsmonitor": /^(?:true|false|)$/,
  "log.showsignature": /^false$/,
  "diff.submodule": /^(?:short|log)$/,
  "blame.ignorerevsfile": /^\.git-blame-ignore-revs$/,
  "submodule.*.update": /^(?:none|checkout|rebase|merge)$/,
  // As `git lfs install --local` writes them.
  "filter.*.clean": /^git-lfs clean -- %f$/,
  "filter.*.smudge": /^git-lfs smudge(?: --skip)? -- %f$/,
  "filter.*.process": /^git-lfs filter-process(?: --skip)?$/,
  "filter.*.required": /^(?:true|false)$/,
};

const ADDRESSES = new Set(["remote.*.url", "remote.*.pushurl", "submodule.*.url"]);
const REMOTES = new Set(["branch.*.remote", "branch.*.pushremote", "remote.pushdefault"]);

/** `remote.*.url`. */
export function nameOfSetting({ section, subsection, key }: GitSetting): string {
  return subsection === null ? `${section}.${key}` : `${section}.*.${key}`;
}

/**
 * The lines of a repository's configuration for which git may run something, or read another file as one: what nobody has looked at may do either. `isConnecting`: git
 * asks a remote, which has a configuration of its own where it is a directory.
 */
export function steeringSettings(settings: readonly GitSetting[], isConnecting: boolean): readonly GitSetting[] {
  const remotes = new Set(settings.flatMap((each) => (nameOfSetting(each) === "remote.*.url" ? each.subsection : [])));
  return settings.filter((setting) => {
    const { section, subsection, key, value } = setting;
    const name = nameOfSetting(setting);
    if (ADDRESSES.has(name)) return !isAddress(value ?? "", isConnecting);
    // What is the name of no remote is an address.
    if (REMOTES.has(name)) return value !== "." && !remotes.has(value) && !isAddress(value ?? "", isConnecting);
    // `url.BASE.insteadOf`: the base is what is asked.
    if (section === "url" && subsection !== null && (key === "insteadof" || key === "pushinsteadof")) return !isAddress(subsection, isConnecting);
    const values = VALUES[name];
    if (values !== undefined) return !values.test(value ?? "true");
    return !(subsection === null ? HARMLESS.test(name) || IN_FILES.test(name) : WITH_NAME.test(`${section}.${key}`));
  });
}

function isAddress(text: string, isConnecting: boolean): boolean {
  return ON_THE_NETWORK.test(text) || (!isConnecting && LOCAL.test(text));
}
