/** Variables that choose what other programs run or load. Passing one through would let the surroundings steer what was judged. */
const STEERING = new Set([
  "PATH", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT_COMMAND", "CDPATH", "HOME", "SHELL", "TMPDIR", "GLOBIGNORE",
  "PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "LESS", "EDITOR", "VISUAL", "BROWSER", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH", "HOSTALIASES", "RES_OPTIONS",
  "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "CC", "CXX", "LD", "TAR_OPTIONS", "GREP_OPTIONS", "RSYNC_RSH", "CVS_RSH", "SUDO_ASKPASS", "SSH_ASKPASS", "SSH_AUTH_SOCK", "GPG_AGENT_INFO",
  "DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "KUBECONFIG", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
  "CLASSPATH", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_HOME", "GOFLAGS", "GOPROXY", "GOROOT",
  "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "CURL_HOME", "WGETRC", "NETRC", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
]);

const STEERING_PREFIXES = ["LD_", "DYLD_", "BASH_FUNC_", "GIT_", "NODE_", "NPM_", "YARN_", "PNPM_", "PIP_", "PYTHON", "PERL", "RUBY", "GEM_", "BUNDLE_", "JAVA_TOOL_", "MAVEN_", "GRADLE_", "WARDER_"];

/** Harmless ones among those that the prefixes catch. */
const PLAIN = new Set(["NODE_ENV", "NODE_NO_WARNINGS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"]);

/** Why a variable must not be passed through; null when it may. */
export function variableFault(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u.test(name)) return "it is no name of a variable";
  const upper = name.toUpperCase();
  if (PLAIN.has(upper)) return null;
  if (STEERING.has(upper) || STEERING_PREFIXES.some((prefix) => upper.startsWith(prefix))) return "it steers which programs and settings other programs use";
  return null;
}
