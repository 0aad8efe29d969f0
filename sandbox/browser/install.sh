#!/bin/sh
# Runs as root inside the image while it is built: installs the packages that lie beside it, or fetches them.
set -eu
here=${0%/*}
packages=$(sed -e 's/#.*//' "$here/packages.txt")
export DEBIAN_FRONTEND=noninteractive
printf 'path-exclude=/usr/share/%s/*\n' doc man info locale lintian >/etc/dpkg/dpkg.cfg.d/no-documentation
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/no-sync
# Chromium asks for a desktop to show dialogs of files. Nobody sees one here, and GTK would bring an init system with it.
stub=$(mktemp -d)
mkdir "$stub/DEBIAN"
cp "$here/no-desktop.control" "$stub/DEBIAN/control"
dpkg-deb --build "$stub" "$here/no-desktop.deb" >/dev/null
dpkg --install "$here/no-desktop.deb"
rm -rf "$stub" "$here/no-desktop.deb"
if ls "$here"/packages/*.deb >/dev/null 2>&1; then
  dpkg --install "$here"/packages/*.deb
else
  apt-get update
  # shellcheck disable=SC2086 # one word a package
  apt-get install --yes --no-install-recommends $packages
  apt-get clean
  rm -rf /var/lib/apt/lists/*
fi
rm -rf "$here/packages"
# Nobody in the sandbox becomes another user.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +
mkdir -p /etc/chromium/policies/managed
mv "$here/policy.json" /etc/chromium/policies/managed/warder.json
