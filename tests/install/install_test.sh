# `cmake --install`: which files, with which permissions; and that they do what they are there for.
. "$(dirname "$0")/lib.sh"

umask 022
step install "$cmake" --install "$build" --prefix "$work/prefix"
lib=$(cd prefix && dirname "$(find . -path '*/cmake/torchleak' | sed 's|^\./||')")
configuration=$(sed -n 's/^CMAKE_BUILD_TYPE:STRING=//p' "$build/CMakeCache.txt" | tr '[:upper:]' '[:lower:]')
last="the installed files"
same "$(files prefix)" "$(LC_ALL=C sort <<END
bin/torchleak
$lib/torchleak/torchleakConfig.cmake
$lib/torchleak/torchleakConfigVersion.cmake
$lib/torchleak/torchleakTargets-${configuration:-noconfig}.cmake
$lib/torchleak/torchleakTargets.cmake
share/bash-completion/completions/torchleak
share/doc/torchleak/LICENSE
share/doc/torchleak/README.md
share/doc/torchleak/copyright
share/fish/vendor_completions.d/torchleak.fish
share/man/man1/torchleak.1
share/torchleak/torchleak.ps1
share/torchleak/torchleak.schema.json
share/zsh/site-functions/_torchleak
END
)"
same "$(find prefix -mindepth 1 -type d ! -perm 755)" ""
same "$(find prefix -type f ! -perm 644)" "prefix/bin/torchleak"
same "$(find prefix -type f -perm 755)" "prefix/bin/torchleak"

# Nothing in them knows where they were built, or where the linker found things.
need readelf binutils
same "$(readelf -d prefix/bin/torchleak | grep -E 'RPATH|RUNPATH')" ""
same "$(grep -rlF "$build" prefix)" ""

# What is generated is what the program says.
last="generated files"
same "$(cat prefix/share/torchleak/torchleak.schema.json)" "$("$torchleak" config schema)"
same "$(cat prefix/share/man/man1/torchleak.1)" "$("$torchleak" generate-man)"
same "$(cat prefix/share/torchleak/torchleak.ps1)" "$("$torchleak" generate-shell-completion powershell)"

# DESTDIR stages below another root, and leaves that root's paths alone.
step "install with DESTDIR" env DESTDIR="$work/stage" "$cmake" --install "$build" --prefix /opt/torchleak
same "$(files stage/opt/torchleak)" "$(files prefix)"
same "$(find "$work" -path '*/stage/*' -newer prefix -type f ! -path '*/stage/opt/torchleak/*')" ""

# A component alone: what a wheel or a container image wants.
step "install of a component" "$cmake" --install "$build" --prefix "$work/one" --component program
same "$(files one)" "bin/torchleak"

# Another project, after the whole has moved.
mv prefix moved
cp -r "$here/consumer" consumer
leak consumer/leak.py
clean consumer/clean.py
step "configure the other project" "$cmake" -S consumer -B other -DWANTED="$version" -DCMAKE_PREFIX_PATH="$work/moved"
step "build the other project" "$cmake" --build other
has '"ruleId": "TLK101"' "$(cat other/findings.sarif)"
step "the other project's tests" "$(dirname "$cmake")/ctest" --test-dir other --no-tests=error
has "100% tests passed, 0 tests failed out of 2" "$(cat "$work/.log")"

# A version that is not there is refused in words.
"$cmake" -S consumer -B none -DWANTED=99.0 -DCMAKE_PREFIX_PATH="$work/moved" >"$work/.log" 2>&1
same $? 1
has "99.0" "$(cat "$work/.log")"
finish
