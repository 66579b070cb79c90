#!/usr/bin/env bash
# Builds the documentation site, with mkdocs in an environment of its own that is made when it is not there
# or when the requirements have changed. `./dev docs` and tests/site call this.
#
#   docs/site/build.sh VENV SITE TORCHLEAK            builds into the folder SITE; a warning is an error
#   docs/site/build.sh VENV SITE TORCHLEAK --serve    shows it at http://127.0.0.1:8000, and what you change
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$1 site=$(realpath -m "$2") TORCHLEAK=$(realpath "$3")
export TORCHLEAK NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1

wanted=$here/requirements.txt
if ! cmp -s "$wanted" "$venv/installed.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
  cp "$wanted" "$venv/installed.txt"
fi
mkdocs=$(realpath -s "$venv/bin/mkdocs")
cd "$here/../.."
if [[ ${4-} == --serve ]]; then
  exec "$mkdocs" serve --no-strict
fi
# Not --quiet: warnings that are not logged are not counted, and strict would be no more.
exec "$mkdocs" build --strict --site-dir "$site"
