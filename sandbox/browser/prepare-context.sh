#!/bin/sh
# Lays out in DIRECTORY/context what the browser's image is built from: a Dockerfile, and where this machine is a Debian of the
# base's release the packages beside it. They come through this machine's apt-get, with its archives and proxies, as whoever runs this: no root is needed, and the
# build needs no network. Elsewhere the Dockerfile fetches them with the network that the engine gives a build.
# Usage: prepare-context.sh DIRECTORY BASE
set -eu
umask 022
scratch=$1
context=$scratch/context
base=$2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
packages=$(sed -e 's/#.*//' "$here/packages.txt")
mkdir -p "$context/packages"
cp "$here/Dockerfile" "$here/packages.txt" "$here/install.sh" "$here/no-desktop.control" "$here/policy.json" "$context/"

of_base() { docker run --rm --network none --entrypoint /bin/cat "$base" "$1"; }
release() { sed -n 's/^VERSION_CODENAME=//p'; }

command -v apt-get >/dev/null && command -v docker >/dev/null || exit 0
[ "$(release </etc/os-release)" = "$(of_base /etc/os-release | release)" ] || exit 0

# apt-get keeps everything it writes here, with no hook of this machine's.
apt=$scratch/apt
mkdir -p "$apt/state/lists/partial" "$apt/archives/partial" "$apt/none"
of_base /var/lib/dpkg/status >"$apt/status"
{ echo "Status: install ok installed" && cat "$here/no-desktop.control" && echo; } >>"$apt/status"
apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' >"$apt/apt.conf" || true
cat >>"$apt/apt.conf" <<END
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Etc::Parts "$apt/none";
Dir::Etc::Main "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "$apt/none";
APT::Architectures "$(dpkg --print-architecture)";
APT::Install-Recommends "false";
Acquire::Languages "none";
END
APT_CONFIG=$apt/apt.conf
export APT_CONFIG
apt-get --quiet=2 update || echo "not every archive of this machine answers"
# shellcheck disable=SC2086 # one word a package
apt-get --quiet=2 --yes --download-only install $packages
mv "$apt/archives"/*.deb "$context/packages/"
