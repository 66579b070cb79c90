# The Debian package in a fresh root of this machine's release, which holds nothing but apt: it
# installs, works, and is gone without a trace after a purge. The root is made by mmdebstrap, from
# the mirrors that this machine's own apt uses; it calls this script again (`inside`) once it is up.
if [ "$1" = inside ]; then
  root=$2
  cp "$PACKAGE" "$root/torchleak.deb"
  cp "$SCRIPT_FOLDER/debian_root_steps.sh" "$LEAK" "$CLEAN" "$root/"
  exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    bash /debian_root_steps.sh "$VERSION"
fi

. "$(dirname "$0")/lib.sh"
need mmdebstrap mmdebstrap
need dpkg-shlibdeps dpkg-dev
pack DEB
leak leak.py
clean clean.py

release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
mirrors=$(apt-get indextargets --format '$(CODENAME) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
  'Created-By: Packages' | sed -n "s/^$release deb/deb/p" | sort -u)
[ -n "$release" ] && [ -n "$mirrors" ] || {
  echo "FAIL: this test needs apt with the sources of its own release, and 'apt-get update' done"
  exit 1
}

[ "$(id -u)" = 0 ] ||
  echo "not root: mmdebstrap then needs newuidmap (package uidmap) and your lines in /etc/sub[ug]id"
export PACKAGE=$package LEAK=$work/leak.py CLEAN=$work/clean.py VERSION=$version SCRIPT_FOLDER=$here
step "a clean root of $release" mmdebstrap --variant=apt --format=null \
  --aptopt='Acquire::Languages "none"' --dpkgopt=force-unsafe-io \
  --customize-hook="bash '$here/debian_root_test.sh' inside \"\$1\"" \
  "$release" - <<<"$mirrors"
last="the steps in the root"
has "all steps passed" "$(cat "$work/.log")"
finish
