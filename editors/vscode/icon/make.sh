#!/usr/bin/env bash
# Draws icon.png from icon.svg, by hand after a change: it needs chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
page=$(mktemp --suffix .html)
trap 'rm -f "$page"' EXIT
echo "<style>* {margin: 0} svg {display: block}</style>$(cat icon.svg)" >"$page"
chromium --headless --no-sandbox --hide-scrollbars --default-background-color=00000000 \
  --window-size=256,256 --screenshot="$PWD/icon.png" "file://$page" 2>/dev/null
