# The Debian package, seen from outside: its fields and files, and what Debian's own checker says.
. "$(dirname "$0")/lib.sh"
need dpkg-shlibdeps dpkg-dev
need lintian lintian
pack DEB
last=$package
same "$(basename "$package")" "torchleak_$version-1_$(dpkg --print-architecture).deb"

field() { dpkg-deb --field "$package" "$1"; }
same "$(field Version)" "$version-1"
same "$(field Section)" devel
has "<" "$(field Maintainer)"
has https:// "$(field Homepage)"
# The C++ runtime is inside.
same "$(field Depends | tr ',' '\n' | grep -vE '^ *libc6 \(>= [0-9.]+\)$')" ""
has $'\n .\n' "$(field Description)"

dpkg-deb --raw-extract "$package" raw
last="the files of $package"
same "$(files raw)" "$(LC_ALL=C sort <<END
DEBIAN/control
DEBIAN/md5sums
usr/bin/torchleak
usr/lib/cmake/torchleak/torchleakConfig.cmake
usr/lib/cmake/torchleak/torchleakConfigVersion.cmake
usr/lib/cmake/torchleak/torchleakTargets-release.cmake
usr/lib/cmake/torchleak/torchleakTargets.cmake
usr/share/bash-completion/completions/torchleak
usr/share/doc/torchleak/README.md
usr/share/doc/torchleak/changelog.Debian.gz
usr/share/doc/torchleak/changelog.gz
usr/share/doc/torchleak/copyright
usr/share/fish/vendor_completions.d/torchleak.fish
usr/share/man/man1/torchleak.1.gz
usr/share/torchleak/torchleak.ps1
usr/share/torchleak/torchleak.schema.json
usr/share/zsh/vendor-completions/_torchleak
END
)"
same "$(find raw/usr -type d ! -perm 755)" ""
same "$(find raw/usr -type f ! -perm 644)" "raw/usr/bin/torchleak"
same "$(dpkg-deb --contents "$package" | awk '{print $2}' | sort -u)" "root/root"
(cd raw && md5sum --quiet -c DEBIAN/md5sums) || fail "md5sums"

# Errors and warnings, as root or not. What is passed over, and why:
#   initial-upload-closes-no-bugs: for packages that Debian itself takes in
lintian --allow-root --suppress-tags initial-upload-closes-no-bugs "$package" >lintian.txt 2>&1
last=lintian
same "$(cat lintian.txt)" ""
finish
