#!/usr/bin/env bash
# site_test.sh TORCHLEAK BUILD: the parts of the site's generator, a strict build, its files, its pages in a
# browser. Needs python3 with venv, node and Chromium; says so when one is missing.
set -euo pipefail
torchleak=$1 build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
for program in python3 node; do
  command -v "$program" >/dev/null || { echo "FAIL: this test needs $program"; exit 1; }
done

"$root/docs/site/build.sh" "$build/site_venv" "$build/site" "$torchleak"
python=$build/site_venv/bin/python
"$python" -B "$here/parts_test.py"
"$python" -B "$here/pages_test.py" "$torchleak" "$build/site"

# The build is strict: a link that leads nowhere ends it.
copy=$build/site_copy
rm -rf "$copy" && mkdir -p "$copy"
(cd "$root" && cp -r --parents mkdocs.yml ./*.md docs rules editors/vscode/icon src/*/README.md \
  fixtures/README.md "$copy")
echo '[nothing](no-such-page.md)' >>"$copy/docs/fixes.md"
if said=$("$copy/docs/site/build.sh" "$build/site_venv" "$build/site_copy_out" "$torchleak" 2>&1); then
  echo "FAIL: a broken link does not end the build"
  exit 1
fi
[[ $said == *no-such-page.md* ]] || { echo "FAIL: the build does not say which link is broken: $said"; exit 1; }

node "$here/browser_test.mjs" "$build/site_browser" "$build/site"
echo ok
