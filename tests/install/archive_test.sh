# The TGZ: one folder, which works wherever it is unpacked.
. "$(dirname "$0")/lib.sh"
pack TGZ
last=$package
name="torchleak-$version-linux-$(uname -m)"
same "$(basename "$package")" "$name.tar.gz"

mkdir -p "some where/deep"
tar -xpzf "$package" -C "some where/deep"
same "$(ls -A "some where/deep")" "$name"
unpacked=$work/some\ where/deep/$name
step install "$cmake" --install "$build" --prefix "$work/prefix"
same "$(files "$unpacked")" "$(files prefix)"
same "$(find "$unpacked" -type d ! -perm 755)" ""
same "$(find "$unpacked" -type f ! -perm 644)" "$unpacked/bin/torchleak"

need readelf binutils
same "$(readelf -S "$unpacked/bin/torchleak" | grep -E 'debug_info|symtab')" ""
libraries=$(readelf -d "$unpacked/bin/torchleak" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
same "$(grep -vE '^(libc|libm|ld-linux.*)\.so\.[0-9]+$' <<<"$libraries")" ""

torchleak=$unpacked/bin/torchleak
leak leak.py
clean clean.py
run 0 version
has "$version" "$out"
run 1 check leak.py
has TLK101 "$out"
run 0 check clean.py
finish
