/**
 * Reviewed values of variables that steer programs or the shell. With these values they lead to no other program, file or host than
 * without them. Every other value, and one that is not known, is `hot-variable`. The table of the guide
 * (docs/program-tables.md, "Variables") says why for each group.
 */
const HARMLESS: readonly (readonly [names: string, values: RegExp])[] = [
  // How output looks.
  ["TERM", /^(?:|dumb|ansi|linux|vt100|vt220|xterm(?:-(?:color|256color|direct))?|(?:screen|tmux)(?:-256color)?)$/],
  ["LESS", /^-?[FRXSiMQ]*$/],
  ["PS1 PS2 PS3 PS4", /^[\w +>#%:.-]*$/],
  ["CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN", /^(?:auto|always|never)$/],
  ["PYTHONIOENCODING", /^[\w:.-]*$/],
  ["PYTHONWARNINGS", /^(?:default|error|always|module|once|ignore)?$/],
  ["TF_LOG", /^(?:TRACE|DEBUG|INFO|WARN|ERROR|OFF)?$/],
  ["npm_config_loglevel", /^(?:silent|error|warn|notice|http|info|verbose)$/],
  ["npm_config_color npm_config_fund npm_config_audit npm_config_progress npm_config_update_notifier", /^(?:true|false)$/],
  // In other character sets a letter may hold what looks like `|` or a backslash; Turkish has other capitals.
  ["LANG LC_ALL LC_CTYPE", /^(?:|C|POSIX|(?:C|(?!tr|az)[a-z]{2,3}_[A-Z]{2})\.(?:UTF-?8|utf-?8)(?:@\w+)?|en_[A-Z]{2})$/],
  ["LANGUAGE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME LC_MONETARY", /^[\w.@:-]*$/],
  ["TZ", /^(?!\/)[\w+/-]*$/],
  ["DEBUG RUST_LOG LOG_LEVEL", /^[\w:*,=-]*$/],
  ["TIME_STYLE", /^[\w+%:. -]*$/],
  ["LS_COLORS GREP_COLORS JQ_COLORS", /^[\w;=:.* -]*$/],
  // Switches: on, off, or a number.
  ["PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONUTF8 PYTHONHASHSEED PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONFAULTHANDLER PYTHONOPTIMIZE", /^(?:\d*|random)$/],
  ["PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT PIP_NO_CACHE_DIR PIP_QUIET POETRY_NO_INTERACTION UV_NO_PROGRESS", /^(?:\d|on|off|true|false|)$/],
  ["PIP_PROGRESS_BAR", /^(?:on|off)$/],
  ["PIP_ROOT_USER_ACTION", /^(?:ignore|warn)$/],
  ["GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_LFS_SKIP_SMUDGE GIT_PAGER_IN_USE", /^(?:[01]|true|false|)$/],
  // Any other value may name a file, which git writes.
  ["GIT_TRACE GIT_CURL_VERBOSE GIT_TRACE_PACKET GIT_TRACE_PERFORMANCE GIT_TRACE_SETUP", /^(?:[012]|true|false|)$/],
  ["GIT_MERGE_AUTOEDIT", /^(?:yes|no|)$/],
  ["CARGO_INCREMENTAL CARGO_NET_OFFLINE", /^(?:[01]|true|false)$/],
  ["TF_IN_AUTOMATION TF_INPUT ANSIBLE_NOCOLOR ANSIBLE_FORCE_COLOR ANSIBLE_NOCOWS", /^(?:\w*)$/],
  ["MAKEFLAGS MFLAGS GNUMAKEFLAGS", /^(?:-?j ?\d{0,3}|-?[ks]|--(?:silent|no-print-directory|jobs=\d{1,3}))?$/],
  ["GOFLAGS", /^(?:-mod=(?:mod|readonly|vendor)|-v|-count=\d+)?$/],
  ["GOPROXY", /^off$/],
  ["GOTOOLCHAIN", /^local$/],
  ["RUSTFLAGS", /^(?:-[ADWF] ?warnings)?$/],
  [
    "NODE_OPTIONS",
    /^(?:--(?:max-old-space-size=\d+|(?:no-)?(?:warnings|deprecation)|trace-(?:warnings|deprecation|uncaught)|enable-source-maps|experimental-vm-modules)(?: +|$))*$/,
  ],
  ["GZIP XZ_OPT XZ_DEFAULTS", /^(?:-[1-9n]|-T\d{1,2}|-0)?$/],
  ["ZSTD_CLEVEL", /^\d{1,2}$/],
  // Which of the configured profiles, projects and regions is asked; none names a server.
  ["AWS_PROFILE AWS_DEFAULT_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT AWS_PAGINATE AWS_MAX_ATTEMPTS AWS_RETRY_MODE", /^[\w-]*$/],
  ["CLOUDSDK_CORE_PROJECT CLOUDSDK_CORE_DISABLE_PROMPTS CLOUDSDK_COMPUTE_ZONE CLOUDSDK_COMPUTE_REGION GOOGLE_CLOUD_PROJECT", /^[\w-]*$/],
  ["AZURE_SUBSCRIPTION_ID AZURE_CORE_NO_COLOR HELM_NAMESPACE DOCKER_BUILDKIT DOCKER_CLI_HINTS PULUMI_SKIP_UPDATE_CHECK", /^[\w-]*$/],
  ["DOCKER_DEFAULT_PLATFORM", /^[\w/]*$/],
  ["GH_PROMPT_DISABLED GH_NO_UPDATE_NOTIFIER HOMEBREW_NO_AUTO_UPDATE HOMEBREW_NO_ENV_HINTS HOMEBREW_NO_ANALYTICS HOMEBREW_NO_COLOR", /^\w*$/],
  ["AWS_PAGER GH_PAGER", /^(?:|cat)$/],
  // What is shown to a server that the words name, and what no program takes for anything else.
  ["PGPASSWORD MYSQL_PWD", /^/],
  // Who wrote a commit, and when.
  ["GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE", /^/],
  // Files that hold nothing. The system's configuration of git is not among them: it keeps git from repositories that a directory hides.
  ["GIT_CONFIG_GLOBAL", /^\/dev\/null$/],
  ["RUFF_NO_CACHE", /^(?:1|true)$/],
  ["HISTFILE LESSHISTFILE SQLITE_HISTORY", /^(?:\/dev\/null|-|)$/],
  // What words are split at is followed, but for numbers, which are taken to stay whole.
  ["IFS", /^[^\d-]*$/],
  // What a program starts anyway, or what starts nothing.
  ["SHELL", /^(?:\/usr)?\/bin\/(?:ba)?sh$/],
  ["DISPLAY SSH_ASKPASS GIT_ASKPASS SUDO_ASKPASS BROWSER", /^$/],
];

// Who wrote a commit may be anybody, so that the value need not be known.
const ANY = /^/;

const TABLE: ReadonlyMap<string, RegExp> = new Map(HARMLESS.flatMap(([names, values]) => names.split(" ").map((name) => [name, values] as const)));

/** Whether a variable that steers programs is harmless with this value; null: the value is not known. */
export function isHarmlessSetting(name: string, value: string | null): boolean {
  const values = TABLE.get(name);
  return values !== undefined && (value === null ? values.source === ANY.source : values.test(value));
}

const COMMANDS = new Set(["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND"]);

// Print what they are given, or nothing.
const QUIET = new Set(["", "cat", "true", ":"]);

/**
 * The script that programs make of a variable whose value is a command: they add words of their own. Git hands the value to a shell;
 * others split it at blanks, which comes to the same for plain words alone. Null: no such variable or value.
 */
export function commandOf(name: string, value: string): string | null {
  if (!COMMANDS.has(name) || (!name.startsWith("GIT_") && !/^[\w@%+=,./ -]*$/.test(value))) return null;
  return QUIET.has(value.trim()) ? "" : `${value} "$@"`;
}
