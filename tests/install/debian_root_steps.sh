# Runs in the clean root, for debian_root_test.sh: any step that fails ends it.
set -eux
version=$1
everything() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/cache \
    -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/log \) -prune -o -print | sort
}
# status COMMAND…: its exit status, in $got
status() { got=0; "$@" || got=$?; }

everything >/tmp/before
# A package that needs more than a bare system has is a mistake.
apt-get install --yes /torchleak.deb | tee /tmp/apt.log
grep -F ' 1 newly installed, 0 to remove' /tmp/apt.log
cd /tmp

torchleak version | grep -F "$version"
status torchleak check /leak.py
test $got = 1
status torchleak check /clean.py
test $got = 0
torchleak rule accumulated-tensor | grep -F TLK101

test -s /usr/share/man/man1/torchleak.1.gz
gzip -dc /usr/share/man/man1/torchleak.1.gz | grep -F '.SH NAME'
gzip -dc /usr/share/doc/torchleak/changelog.Debian.gz | grep -F "torchleak ($version-1)"
. /usr/share/bash-completion/completions/torchleak
complete -p torchleak

dpkg --verify torchleak  # the files are as the package says
dpkg --purge torchleak
rm -rf /.torchleak_cache
everything >/tmp/after
diff /tmp/before /tmp/after
status dpkg --status torchleak
test $got = 1
echo "all steps passed"
