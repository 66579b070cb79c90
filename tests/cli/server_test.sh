#!/usr/bin/env bash
# torchleak server, over real pipes: a session, and clients that do wrong. What the messages say is tested in
# tests/unit/lsp.
here=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/lib.sh"

frame() { printf 'Content-Length: %d\r\n\r\n%s' "$(printf %s "$1" | wc -c)" "$1"; }
initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{}}}'
initialized='{"jsonrpc":"2.0","method":"initialized","params":{}}'
shutdown='{"jsonrpc":"2.0","id":2,"method":"shutdown"}'
quit='{"jsonrpc":"2.0","method":"exit"}'

{ frame "$initialize"; frame "$initialized"; frame "$shutdown"; frame "$quit"; } >session
run 0 server <session
has '"textDocumentSync"' "$out"
has '"positionEncoding":"utf-16"' "$out"
has '{"id":2,"jsonrpc":"2.0","result":null}' "$out"
same "$err" ""

# The input ends before `exit`, at once or within a frame.
{ frame "$initialize"; frame "$shutdown"; } >session
run 1 server <session
has '"id":2' "$out"
run 1 server </dev/null
same "$out" ""
head -c 40 session >cut
run 1 server <cut
has '"code":-32700' "$out"

# exit without shutdown
{ frame "$initialize"; frame "$quit"; } >session
run 1 server <session

# Bytes that are no frames are answered, and what follows them is heard.
{ head -c 50000 /dev/urandom | tr -d ':'; frame "$initialize"; frame "$shutdown"; frame "$quit"; } >session
run 0 server <session
has '"code":-32700' "$out"

# Nobody reads what it says.
mkfifo in
(frame "$initialize"; exec sleep 30) >in &
feeder=$!
{ timeout "$limit" "$torchleak" server <in; echo $? >status; } | true
kill "$feeder" 2>/dev/null
wait "$feeder" 2>/dev/null
same "$(cat status)" 1

# A terminal is told what this is for.
python3 "$here/terminal.py" out "$torchleak" server </dev/null >shown
has "this is a language server" "$(cat piped)"

run 0 server --help
has 'Speaks the Language Server Protocol' "$out"
run 2 server now
has "unexpected argument 'now'" "$err"

finish
