#!/usr/bin/env bash
# run.sh TORCHLEAK MODULES: Neovim without a window, set up as docs/editors.md says for its version; both
# Debian's and the newer one that setup.sh installs.
. "$(dirname "$0")/../lib.sh" "$@"

snippet Neovim lua 4 >"$work/save.lua"
sed 's/  # noqa: TLK101//' "$tests/fixtures/stale.py" >"$work/stale.py"

# try NVIM BLOCK: with that block of the section as its set-up
try() {
  cp "$tests/fixtures/train.py" "$project/train.py"
  cp "$tests/fixtures/stale.py" "$project/stale.py"
  snippet Neovim lua "$2" >"$work/setup.lua"
  echo "$("$1" --version | head -1), block $2"
  (cd "$project" && TORCHLEAK=$torchleak SETUP=$work/setup.lua SAVE=$work/save.lua EXPECT=$want \
    EXPECT_STALE=$work/stale.py timeout 120 "$1" --clean --headless -n -i NONE train.py -S "$tests/neovim/test.lua") ||
    die "$1, block $2: exit status $?"
}

installed=$(command -v nvim) || die "this test needs nvim (Debian package neovim)"
case $("$installed" --version) in
  "NVIM v0.7."*) try "$installed" 3 ;;
  *) try "$installed" 2 ;;
esac
newer=$modules/neovim/bin/nvim
try "$newer" 1
try "$newer" 2
