/**
 * Variables that make other programs, or the shell itself, do something else: where programs are found,
 * what is loaded into them, which program they start, whom they connect to. Setting one anywhere is
 * undecidable, because the variable may be in the environment already.
 */
const HOT = new Set([
  "PATH", "IFS", "ENV", "CDPATH", "HOME", "SHELLOPTS", "POSIXLY_CORRECT", "GLOBIGNORE", "EXECIGNORE", "FIGNORE", "HOSTFILE", "HISTFILE", "INPUTRC",
  "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "PWD", "OLDPWD", "SHELL", "TERMINFO", "TERMCAP", "TERM",
  "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH", "LOCALDOMAIN", "RES_OPTIONS", "HOSTALIASES", "RESOLV_HOST_CONF", "TZDIR", "GETCONF_DIR",
  "PAGER", "MANPAGER", "MANPATH", "MANOPT", "MANROFFOPT", "LESS", "LESSOPEN", "LESSCLOSE", "LESSKEY", "LESSEDIT", "LESSHISTFILE", "MORE", "EDITOR", "VISUAL",
  "FCEDIT", "SUDO_EDITOR", "BROWSER", "VIMINIT", "EXINIT", "MYVIMRC", "DELTA_PAGER", "BAT_PAGER", "SYSTEMD_PAGER", "SYSTEMD_EDITOR",
  "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_HOME", "CLASSPATH",
  "RUBYOPT", "RUBYLIB", "LUA_INIT", "LUA_PATH", "LUA_CPATH", "PHPRC", "PHP_INI_SCAN_DIR", "AWKPATH", "AWKLIBPATH", "GREP_OPTIONS", "RIPGREP_CONFIG_PATH",
  "FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "RSYNC_RSH", "CVS_RSH", "TAPE", "SSH_ASKPASS", "SSH_AUTH_SOCK", "SUDO_ASKPASS", "TAR_OPTIONS", "GZIP", "XZ_OPT",
  "XZ_DEFAULTS", "ZSTD_CLEVEL", "BZIP2", "ZIPOPT", "UNZIP", "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKEOVERRIDES", "MAKESHELL", "CC", "CXX", "LD",
  "AR", "CPP", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH", "RUSTFLAGS", "RUSTC", "RUSTC_WRAPPER", "RUSTDOC", "GOFLAGS", "GOPROXY", "GOROOT",
  "GOTOOLCHAIN", "GOENV", "DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "CONTAINER_HOST", "KUBECONFIG", "KUBE_EDITOR", "HELM_PLUGINS", "CURL_HOME", "WGETRC",
  "SYSTEM_WGETRC", "NETRC", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE", "GNUPGHOME", "XDG_CONFIG_HOME",
  "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR", "PSQLRC", "PGSERVICEFILE", "PGPASSFILE", "PGHOST", "PSQL_EDITOR", "SQLITE_HISTORY", "MYSQL_HOME",
  "WARDER_HOME", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "TMUX", "STY",
]);

const HOT_PREFIX =
  /^(?:BASH|LD_|DYLD_|GIT_|PYTHON|PERL5|PERL6|PIP_|UV_|POETRY_|CARGO_|NPM_|YARN_|PNPM_|BUNDLE_|GEM_|GOMODCACHE|WARDER|TF_|ANSIBLE_|MAVEN_|GRADLE_|SBT_|LC_PATH)|^npm_|^COMPLETE|_proxy$|_PROXY$/;

// Seen so often, and so harmless, that asking about them would teach people to click through.
const HARMLESS = new Set([
  "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED", "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_NO_INPUT",
  "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
  "CARGO_TERM_COLOR", "CARGO_INCREMENTAL", "TF_IN_AUTOMATION", "ANSIBLE_NOCOLOR",
]);

const PAGERS = new Set(["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "GIT_EDITOR", "EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR"]);
const QUIET = new Set(["", "cat", "true", ":"]);

/** Whether setting a variable can change what other words of the script do. `value` is null when it is not known. */
export function isHot(name: string, value: string | null): boolean {
  if (!HOT.has(name) && !HOT_PREFIX.test(name)) return false;
  if (HARMLESS.has(name)) return false;
  if (name === "TERM") return value === null || !/^(?:dumb|xterm(?:-256color)?|)$/.test(value);
  return !(PAGERS.has(name) && value !== null && QUIET.has(value));
}

// What looks as if it told a program where to look, what to start or how to connect.
const STEERING = /(?:^|_)(?:OPTIONS|OPTS|OPT|HOME|EDITOR|PAGER|COMMAND|CMD|WRAPPER|SHELL|ASKPASS|RSH|CONFIG|PRELOAD|STARTUP|INIT)$|PATH$|FLAGS$|RC$/;

/** Whether a variable that is given to programs may steer one of them; a variable of the shell alone does not. */
export function isSteering(name: string): boolean {
  return STEERING.test(name) && !HARMLESS.has(name) && !PAGERS.has(name);
}
