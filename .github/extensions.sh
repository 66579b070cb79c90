#!/usr/bin/env bash
# extensions.sh WHEELS OUT: an extension for VS Code for each wheel in WHEELS whose system VS Code runs on,
# with the program of that wheel in it, and one without a program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $# == 2 && -d $1 ]] || { echo "usage: extensions.sh WHEELS OUT" >&2; exit 2; }
wheels=$1 out=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# pack NAME [BINARY TARGET]
pack() {
  editors/vscode/package.sh "$work/build" "${@:2}"
  mv "$work/build/torchleak.vsix" "$out/torchleak-$1.vsix"
}

pack universal
for wheel in "$wheels"/*.whl; do
  case $wheel in
    *manylinux*_x86_64.whl) target=linux-x64 ;;
    *manylinux*_aarch64.whl) target=linux-arm64 ;;
    *musllinux*_x86_64.whl) target=alpine-x64 ;;
    *musllinux*_aarch64.whl) target=alpine-arm64 ;;
    *macosx*_x86_64.whl) target=darwin-x64 ;;
    *macosx*_arm64.whl) target=darwin-arm64 ;;
    *) continue ;;  # Windows: package.sh takes no .exe yet
  esac
  python3 - "$wheel" "$work/torchleak" <<'PY'
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    (name,) = [n for n in wheel.namelist() if n.endswith(".data/scripts/torchleak")]
    with open(sys.argv[2], "wb") as out:
        out.write(wheel.read(name))
PY
  chmod 755 "$work/torchleak"
  pack "$target" "$work/torchleak" "$target"
done
