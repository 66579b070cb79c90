#!/usr/bin/env bash
# run.sh TORCHLEAK MODULES: the language server and a client made of Microsoft's protocol library.
. "$(dirname "$0")/../lib.sh" "$@"
export TORCHLEAK=$torchleak MODULES=$modules/nodeclient TMPDIR=$work
timeout 580 node --test-reporter spec --test "$tests"/nodeclient/*_test.mjs
