#!/usr/bin/env bash
# Makes FOLDER/torchleak.vsix. Everything is built in FOLDER; the sources stay as they are.
#   editors/vscode/package.sh FOLDER [BINARY [TARGET]]
# BINARY is put into the extension, which is then for one system only: TARGET, one of vsce's names
# (default linux-x64). Without it the extension runs what torchleak.path or PATH has.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# -ge 1 && $# -le 3 ]] || { echo "usage: package.sh FOLDER [BINARY [TARGET]]" >&2; exit 2; }
binary=${2-} target=${3-linux-x64}
[[ -z $binary || -x $binary ]] || { echo "package.sh: not a program: $binary" >&2; exit 2; }
[[ -z $binary ]] || binary=$(realpath "$binary")
mkdir -p "$1"
cd "$1"

# Anew each time, but for node_modules, which depends on the lock file alone.
rm -rf src test icon dist bundled torchleak.vsix
cp -r "$here"/{src,test,icon,package.json,package-lock.json,tsconfig.json,.npmrc,.vscodeignore} .
cp "$here"/CHANGELOG.md "$here/../../LICENSE" .
grep -v '^!\[' "$here/README.md" >README.md  # VS Code shows no pictures that have no address on the web
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --ignore-scripts --no-audit --no-fund
  cp package-lock.json node_modules/.installed
fi

options=(--no-dependencies --no-rewrite-relative-links --allow-missing-repository -o torchleak.vsix)
if [[ $binary ]]; then
  install -D -m 755 "$binary" bundled/torchleak
  strip bundled/torchleak 2>/dev/null || true  # debug symbols are of no use there
  options+=(--target "$target")
fi
npx --no-install vsce package "${options[@]}"
