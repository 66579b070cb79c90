# The progress line: on a terminal, in time, and gone before anything else is printed.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"
need python3 python3
leak leak.py
unset CI
export TERM=xterm
clear=$'\r\e[K'

# on STREAMS ARGS…: with a terminal for STREAMS, what it got in $out; the rest in the file `piped`.
on() {
  local streams=$1
  shift
  last="terminal for $streams: $*"
  out=$(timeout "$limit" python3 "$here/terminal.py" "$streams" "$torchleak" check "$@")
}

# Asked for: from the start, and cleared at the end.
on err --progress leak.py
has "looking for files" "$out"; [[ $out == *"$clear" ]] || fail "$last: the line is still there"
hasnt $'\e[K' "$(cat piped)"; has accumulated-tensor "$(cat piped)"
# Whoever sees both sees the report after the last drawing.
on out,err --progress --color never leak.py
has accumulated-tensor "${out##*"$clear"}"; hasnt "looking for" "${out##*"$clear"}"
on out,err --progress --color never nope.py
has "error: nope.py" "${out##*"$clear"}"; hasnt "looking for" "${out##*"$clear"}"
on err --progress --output-format json leak.py
python3 -c 'import json; json.load(open("piped"))' || fail "$last: no JSON"

# A quick run shows none.
on err leak.py; hasnt $'\e[K' "$out"
# A run of more than a second does: a pipe whose writer waits.
slow() {
  rm -f slow.py
  mkfifo slow.py
  (sleep 2; cat leak.py) >slow.py &
  "$@"
  wait
}
slow on err --single-file slow.py; has "reading" "$out"; has "0/1" "$out"; [[ $out == *"$clear" ]] || fail "$last: still there"
slow on err slow.py --no-progress; hasnt $'\e[K' "$out"
slow on err slow.py --quiet; hasnt $'\e[K' "$out"
slow on err slow.py --silent; hasnt $'\e[K' "$out"
slow on out slow.py; hasnt $'\e[K' "$out$(cat piped)"
export CI=true; slow on err --single-file slow.py; hasnt $'\e[K' "$out"
on err --progress leak.py; has $'\e[K' "$out"; unset CI
export TERM=dumb; slow on err --single-file slow.py; hasnt $'\e[K' "$out"
on err --progress leak.py; hasnt $'\e[K' "$out"; export TERM=xterm

# In a pipe never, whatever is asked for.
run 1 check --progress leak.py; hasnt $'\e' "$out$err"
run 1 check --no-progress leak.py
run 1 check --progress --no-progress leak.py
finish
