# Shared by the scripts of this folder, which source it with `root` set to the checkout. POSIX sh.
tools=$root/.tools
log=$tools/setup.log
# Where daemons and file-system tools are, which not every PATH names.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

# Node.js has a list of authorities of its own; what this machine trusts besides (a company's proxy) stands in the system's list.
if [ -z "${NODE_EXTRA_CA_CERTS-}" ] && [ -r /etc/ssl/certs/ca-certificates.crt ]; then
  NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
  export NODE_EXTRA_CA_CERTS
fi

say() { printf 'setup: %s\n' "$*"; }

# fail CODE MESSAGE… ends with the exit code of the command-line contract: 6 sandbox unavailable, 78 bad configuration.
fail() {
  code=$1
  shift
  printf 'setup: %s\n' "$*" >&2
  exit "$code"
}

# logged WHAT COMMAND… runs the command with its output in the log, and prints the end of the log when it fails.
logged() {
  what=$1
  shift
  say "$what …"
  started=$(date +%s)
  touch "$log"
  before=$(wc -l <"$log")
  status=0
  # 9 is the lock of setup: a daemon that a package starts must not keep it.
  { printf '\n## %s\n' "$*" && "$@" 9>&-; } >>"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    tail -n "+$((before + 1))" "$log" | tail -n 30 >&2
    case $status in 6 | 78) ;; *) status=1 ;; esac
    fail "$status" "$what failed; the whole output is in $log"
  fi
  say "$what: $(($(date +%s) - started)) s"
}

# Whether packages can be installed here.
is_debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# debian_packages NAME… installs what is missing of them, with what the machine's apt is configured for.
debian_packages() {
  if ! apt-get install --simulate --no-install-recommends "$@" >/dev/null 2>&1; then logged "apt-get update" apt-get update; fi
  DEBIAN_FRONTEND=noninteractive logged "installing $*" apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

# Puts the Node.js that setup chose, and the checkout's own programs, first on PATH.
use_node() {
  [ -x "$tools/bin/node" ] || return 1
  PATH=$tools/bin:$root/node_modules/.bin:$PATH
  export PATH
}
