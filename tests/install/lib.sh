# Sourced by every *_test.sh. Beside what tests/cli/lib.sh gives:
#   pack GENERATOR   packs the build folder with CPack; the package's path in $package
#   files FOLDER     what is in it, files and links, one a line
cmake=$2 cpack=$3 build=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../cli/lib.sh"
version=$("$torchleak" version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)

step() {  # step NAME COMMAND…: its output is shown when it fails, and the test ends
  last=$1
  shift
  "$@" >"$work/.log" 2>&1 && return
  fail "$last"
  tail -40 "$work/.log"
  exit 1
}

pack() {
  umask 077  # which must make no difference
  step "cpack -G $1" "$cpack" -G "$1" --config "$build/CPackConfig.cmake" -B "$work/packed"
  umask 022
  package=$(find "$work/packed" -maxdepth 1 -name 'torchleak*' -type f)
}

files() { (cd "$1" && find . -mindepth 1 ! -type d | sed 's|^\./||' | LC_ALL=C sort); }
