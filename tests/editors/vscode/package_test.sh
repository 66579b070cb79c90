#!/usr/bin/env bash
# package_test.sh TORCHLEAK MODULES: the extension is type-checked, its own tests pass, and it is packaged
# with the binary: the tests in VS Code take that.
. "$(dirname "$0")/../lib.sh" "$@"
extension=$modules/extension
"$tests/../../editors/vscode/package.sh" "$extension" "$torchleak" >"$work/log" 2>&1 ||
  { cat "$work/log"; die "the extension could not be packaged"; }
(cd "$extension" && npm test)

# What is in it, and nothing else.
python3 - "$extension/torchleak.vsix" >"$work/files" <<'PY'
import sys, zipfile
print('\n'.join(sorted(zipfile.ZipFile(sys.argv[1]).namelist())))
PY
diff - "$work/files" <<'END' || die "the extension holds other files than meant"
[Content_Types].xml
extension.vsixmanifest
extension/LICENSE.txt
extension/bundled/torchleak
extension/changelog.md
extension/dist/extension.js
extension/icon/icon.png
extension/package.json
extension/readme.md
END
