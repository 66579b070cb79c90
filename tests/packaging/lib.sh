# Sourced by every *_test.sh here, with BINARY SOURCE OUTPUT. Gives, besides tests/cli/lib.sh:
#   $source $made   the project's folder; where the distributions are made: $made/dist, $made/wheels
#   $tools          a virtual environment with the tools of requirements.txt
#   venv FOLDER     an empty virtual environment
#   copy_tree FOLDER   the project as a commit of a repository of its own, tagged with its version
source=$(realpath "$2")
mkdir -p "$3"
made=$(realpath "$3")
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"
here=$source/tests/packaging
tools=$made/tools
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
version=$(sed -nE 's/^project\(torchleak VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")

# The same sources are compiled in several folders below that of temporary files; what one of them has compiled,
# the others take.
need ccache ccache
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
export CCACHE_DIR=$made/ccache CCACHE_BASEDIR=$(dirname "$work") CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=1G

die() { fail "$1"; finish; }

venv() { python3 -m venv "$1" || die "no virtual environment: is python3-venv installed?"; }

# Kept between runs, as long as what it is made of stays the same.
if ! cmp -s "$here/requirements.txt" "$tools/requirements.txt"; then
  rm -rf "$tools" && venv "$tools"
  "$tools/bin/pip" install -q -r "$here/requirements.txt" || die "pip cannot install $here/requirements.txt"
  cp "$here/requirements.txt" "$tools/"
fi

# All files that git does not ignore; a plain folder without .git is taken as it is.
copy_tree() {
  mkdir -p "$1"
  set -- "$(realpath "$1")"
  git -C "$source" ls-files -z --cached --others --exclude-standard |
    (cd "$source" && xargs -0 ls -d 2>/dev/null | tr '\n' '\0' | xargs -0 cp -a --parents -t "$1")
  git -C "$1" init -q
  git -C "$1" add -A
  git -C "$1" -c user.name=test -c user.email=test@example.com commit -q -m "the project"
  git -C "$1" tag "v$version"
}
