#!/bin/bash
# From the checkout to a source distribution, from that to a wheel: what is in them, and that the second
# step takes nothing from the machine but a compiler.
. "$(dirname "$0")/lib.sh"
rm -rf "$made/dist" "$made/wheels"
copy_tree "$work/tree"
echo secret >"$work/tree/id_rsa"

"$tools/bin/python" -m build --sdist --outdir "$made/dist" "$work/tree" >"$work/sdist.log" 2>&1 ||
  die "the source distribution cannot be made: $(tail -30 "$work/sdist.log")"
sdist=$made/dist/torchleak-$version.tar.gz
[ -f "$sdist" ] || die "no $sdist in: $(ls "$made/dist")"
listed=$(tar -tzf "$sdist")
for path in CMakeLists.txt LICENSE README.md PKG-INFO pyproject.toml python/backend/third_party.py \
  python/torchleak/__main__.py rules/accumulated-tensor/rule.md third_party/include/fmt/format-inl.h \
  third_party/include/xxhash.h third_party/grammars/tree-sitter-python/src/parser.c \
  third_party/licenses/fmt.txt third_party/licenses/tree-sitter.txt; do
  [[ $listed == *"torchleak-$version/$path"* ]] || fail "the source distribution lacks $path"
done
for path in tests/ docs/ editors/ fixtures/ node_modules/ build/ .github/ id_rsa .git; do
  [[ $listed != *"torchleak-$version/$path"* ]] || fail "the source distribution holds $path"
done
[[ $listed != */fixtures/* ]] || fail "the source distribution holds fixtures of rules"
[ "$(stat -c %s "$sdist")" -lt 3000000 ] || fail "the source distribution has $(stat -c %s "$sdist") bytes"

# Nothing of the system's libraries is looked for, npm is not there, and nothing is fetched beside what pip does.
mkdir "$work/bin"
for command in /usr/bin/* /bin/*; do
  case ${command##*/} in npm | node | nodejs | apt-get | dpkg-deb) ;; *) ln -sf "$command" "$work/bin/" ;; esac
done
hide=()
for package in fmt CLI11 nlohmann_json tomlplusplus; do
  hide+=("--config-settings=cmake.define.CMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
venv "$work/builder"
PATH=$work/bin "$work/builder/bin/pip" wheel -v --no-deps "${hide[@]}" -w "$made/wheels" "$sdist" \
  >"$work/wheel.log" 2>&1 || die "no wheel: $(grep -iE 'error|fatal' "$work/wheel.log" | head -20)"
grep -q "Other projects' sources: .*/third_party" "$work/wheel.log" ||
  fail "the wheel was not built from the sources that it carries"

wheel=$(echo "$made"/wheels/torchleak-"$version"-py3-none-*.whl)
[ -f "$wheel" ] || die "no wheel for any Python 3 in: $(ls "$made/wheels")"
[ "$(stat -c %s "$wheel")" -lt 3000000 ] || fail "the wheel has $(stat -c %s "$wheel") bytes, above 3 MB"
"$tools/bin/twine" check --strict "$sdist" "$wheel" >"$work/twine.log" || fail "$(cat "$work/twine.log")"
python3 -m zipfile -l "$wheel" >"$work/files"
for path in torchleak/__init__.py torchleak/__main__.py torchleak/py.typed \
  "torchleak-$version.data/scripts/torchleak" "torchleak-$version.dist-info/licenses/LICENSE" \
  "torchleak-$version.dist-info/licenses/third_party/fmt.txt"; do
  grep -q "^$path " "$work/files" || fail "the wheel lacks $path"
done
[ "$(grep -vcE '^(File Name|torchleak/|torchleak-)' "$work/files")" = 0 ] || fail "foreign files: $(cat "$work/files")"

# The binary needs the C library only, and carries no symbols.
(cd "$work" && python3 -m zipfile -e "$wheel" unpacked)
binary=$work/unpacked/torchleak-$version.data/scripts/torchleak
needed=$(readelf -d "$binary" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE '^(libc|libm|ld-linux.*)\.so')
[ -z "$needed" ] || fail "the binary needs $needed"
readelf -S "$binary" | grep -q '\.symtab' && fail "the binary is not stripped"

# cibuildwheel reads its configuration, on every platform, as one wheel for each kind of machine.
for platform in linux macos windows; do
  out=$(cd "$work/tree" && "$tools/bin/cibuildwheel" --print-build-identifiers --platform $platform . 2>&1) ||
    fail "cibuildwheel for $platform: $out"
  same "$(grep -c '^cp312-' <<<"$out")" "$(wc -l <<<"$out")"
done
finish
