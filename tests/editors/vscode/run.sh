#!/usr/bin/env bash
# run.sh TORCHLEAK MODULES: the extension that package_test.sh has made, in VS Code. Pictures of what was
# seen are left in MODULES/pictures.
. "$(dirname "$0")/../lib.sh" "$@"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  die "this test needs chromium (Debian packages chromium fonts-dejavu-core fonts-noto-color-emoji)"
rm -rf "$modules/pictures"
export CHROMIUM TORCHLEAK=$torchleak MODULES=$modules WORK=$work PICTURES=$modules/pictures \
  VSIX=$modules/extension/torchleak.vsix
timeout 580 node --test-reporter spec --test "$tests/vscode/vscode_test.mjs"
