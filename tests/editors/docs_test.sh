#!/usr/bin/env bash
# docs_test.sh: what docs/editors.md and the extension's README show. No editor is needed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
node --test-reporter spec --test "$here/docs_test.mjs"
python3 "$here/helix_test.py" "$here/../../docs/editors.md"
