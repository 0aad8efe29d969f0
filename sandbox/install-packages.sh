#!/bin/sh
# Installs the packages of packages.txt and removes what no command needs. Runs as root inside the image: in
# `docker build`, or in the container in which the base is being made. Does nothing when all of them are there.
# Files of packages in essential/ and packages/ beside it (build-image.sh puts them there) are installed as they are.
set -eu
here=${0%/*}
if [ "$here" != /opt/warder ]; then
  echo "install-packages.sh is for the inside of the image: it would strip this machine's own programs" >&2
  exit 64
fi
if [ ! -d "$here/essential" ]; then
  packages=$(sed -e 's/#.*//' "$here/packages.txt")

  missing=
  for package in $packages; do
    case $(dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null) in
      *"ok installed") ;;
      *) missing="$missing $package" ;;
    esac
  done
  if [ -z "$missing" ]; then exit 0; fi
fi

printf 'path-exclude=/usr/share/%s/*\n' doc man info locale lintian >/etc/dpkg/dpkg.cfg.d/no-documentation
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/no-sync
export DEBIAN_FRONTEND=noninteractive
if [ -d "$here/essential" ]; then
  # Nothing is installed yet, for dpkg: the accounts come first, then what every package may use while it is configured.
  cp /usr/share/base-passwd/passwd.master /etc/passwd
  cp /usr/share/base-passwd/group.master /etc/group
  mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates
  touch /var/lib/dpkg/status /var/lib/dpkg/available
  dpkg --force-depends --install "$here"/essential/base-passwd_*.deb "$here"/essential/base-files_*.deb
  dpkg --force-depends --unpack "$here"/essential/*.deb
  dpkg --configure --pending
  dpkg --force-depends --unpack "$here"/packages/*.deb
  dpkg --configure --pending
  dpkg --audit
  # A directory that dpkg finds keeps the mode that it has.
  chmod 1777 /tmp /var/tmp
  chmod 700 /root
  rm -rf "$here/essential" "$here/packages"
else
  apt-get update
  # shellcheck disable=SC2086 # one word a package
  apt-get install --yes --no-install-recommends $missing
fi
if command -v apt-get >/dev/null; then apt-get clean; fi
rm -rf /var/lib/apt/lists/* /var/cache/debconf/*-old /var/log/*.log /var/log/apt \
  /usr/share/doc/* /usr/share/man/* /usr/share/info/* /usr/share/locale/* /usr/share/lintian/* /tmp/*
# Nobody in the sandbox becomes another user: no program needs these bits, and a setuid file that is copied is one less to judge.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +
# A directory that merely looks like a bare repository is none: its configuration would run programs.
git config --system safe.bareRepository explicit
