#!/usr/bin/env bash
# Takes the picture of the HTML report anew: docs/images/report.png. Not part of docs/update, since it
# needs chromium and its pixels differ from machine to machine.
# Usage: docs/images/report.sh [TORCHLEAK, default build/release/bin/torchleak]
set -euo pipefail
torchleak=$(realpath "${1-$(dirname "$0")/../../build/release/bin/torchleak}")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# In a folder of that name, as a checkout has it: the page shows it.
mkdir -p "$work/torchleak/.git" "$work/torchleak/fixtures"
cp -r fixtures/scripts "$work/torchleak/fixtures"
(cd "$work/torchleak" && "$torchleak" check fixtures/scripts --exit-zero --no-cache \
  --output-format "html:$work/report.html")
chromium --headless --no-sandbox --hide-scrollbars --window-size=1280,1290 \
  --screenshot="$PWD/docs/images/report.png" "file://$work/report.html" 2>/dev/null
