#!/usr/bin/env bash
# run.sh TORCHLEAK MODULES: packages the extension with the binary, and tries it in VS Code. Pictures of
# what was seen are left in MODULES/pictures.
. "$(dirname "$0")/../lib.sh" "$@"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  die "this test needs chromium (Debian packages chromium fonts-dejavu-core)"
rm -rf "$modules/pictures"
export CHROMIUM TORCHLEAK=$torchleak MODULES=$modules WORK=$work PICTURES=$modules/pictures \
  VSIX=$modules/extension/torchleak.vsix
"$tests/../../editors/vscode/package.sh" "$modules/extension" "$torchleak" >"$work/package.log" 2>&1 ||
  { cat "$work/package.log"; die "the extension could not be packaged"; }
timeout 280 node --test-reporter spec --test "$tests/vscode/vscode_test.mjs"
