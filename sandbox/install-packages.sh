#!/bin/sh
# Installs the packages of packages.txt and removes what no command needs. Runs as root inside the image: in
# `docker build`, or in a chroot while the base is being made. Does nothing when all of them are there.
set -eu
here=${0%/*}
if [ "$here" != /opt/warder ]; then
  echo "install-packages.sh is for the inside of the image: it would strip this machine's own programs" >&2
  exit 64
fi
packages=$(sed -e 's/#.*//' "$here/packages.txt")

missing=
for package in $packages; do
  case $(dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null) in
    *"ok installed") ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing" ]; then exit 0; fi

printf 'path-exclude=/usr/share/%s/*\n' doc man info locale lintian >/etc/dpkg/dpkg.cfg.d/no-documentation
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/no-sync
export DEBIAN_FRONTEND=noninteractive
apt-get update
# shellcheck disable=SC2086 # one word a package
apt-get install --yes --no-install-recommends $missing
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/debconf/*-old /var/log/*.log /var/log/apt \
  /usr/share/doc/* /usr/share/man/* /usr/share/info/* /usr/share/locale/* /usr/share/lintian/* /tmp/*
# Nobody in the sandbox becomes another user: no program needs these bits, and a setuid file that is copied is one less to judge.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +
# A directory that merely looks like a bare repository is none: its configuration would run programs.
git config --system safe.bareRepository explicit
