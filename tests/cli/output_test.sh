# Where reports go, in which form, and what stays off the streams.
. "$(dirname "$0")/lib.sh"
leak a/leak.py
leak b/leak.py
clean clean.py

run 1 check; has "a/leak.py:" "$out"; has "b/leak.py:" "$out"; same "$err" ""
run 1 check . --output-format concise; has "a/leak.py:8:" "$out"
run 1 check "$PWD/a"; has "a/leak.py:" "$out"; hasnt "$PWD" "$out"

# Several formats at once, files, -o.
run 1 check --output-format concise --output-format json:r.json,sarif:r.sarif
has "a/leak.py:" "$out"
has '"code": "TLK101"' "$(cat r.json)"
has "$PWD/a/leak.py" "$(cat r.json)"
has '"version": "2.1.0"' "$(cat r.sarif)"
run 1 check --output-format json -o o.json; same "$out" ""; has "TLK101" "$(cat o.json)"
run 1 check -o o.txt; same "$out" ""; has "TLK101" "$(cat o.txt)"; hasnt $'\e' "$(cat o.txt)"
run 2 check -o /no/such/folder/x; has "cannot write /no/such/folder/x" "$err"
if [ -e /dev/full ]; then
  "$torchleak" check >/dev/full 2>"$work/.err"; same "$?" 2
  has "cannot write to standard output" "$(cat "$work/.err")"
fi
run 0 check clean.py --output-format json; same "$out" "[]"

# A reader that goes away: no message, no crash, the verdict stays.
"$torchleak" check 2>"$work/.err" | head -c 1 >/dev/null
same "${PIPESTATUS[0]}" 1; same "$(cat "$work/.err")" ""
for _ in $(seq 300); do leak "many/$RANDOM$RANDOM.py"; done
"$torchleak" check many 2>"$work/.err" | true
same "${PIPESTATUS[0]}" 1; same "$(cat "$work/.err")" ""
rm -rf many

# Quiet, silent, verbose, statistics.
run 2 check nope.py clean.py --quiet; has "nope.py: no such file" "$err"
run 2 check nope.py a --silent; same "$out$err" ""
run 1 check a --silent; same "$out$err" ""
run 1 check --verbose; has "checked 3 of 3 files" "$err"
run 1 check --statistics; has "2  TLK101  accumulated-tensor" "$out"; hasnt "leak.py" "$out"
run 1 check --statistics --output-format json; has '"count": 2' "$out"

# Colour: flag > NO_COLOR > CLICOLOR_FORCE, FORCE_COLOR > terminal.
run 1 check a; hasnt $'\e' "$out"
run 1 check a --color always; has $'\e[' "$out"
export CLICOLOR_FORCE=1; run 1 check a; has $'\e[' "$out"
run 1 check a --color never; hasnt $'\e' "$out"
export NO_COLOR=1; run 1 check a; hasnt $'\e' "$out"
run 1 check a --color=always; has $'\e[' "$out"
unset NO_COLOR CLICOLOR_FORCE
export FORCE_COLOR=1; run 1 check a; has $'\e[' "$out"
run 1 check a --output-format json; hasnt $'\e' "$out"
unset FORCE_COLOR

# Standard input.
out=$("$torchleak" check - --output-format concise <a/leak.py); same "$?" 1; has "-:8:" "$out"
out=$("$torchleak" check --stdin-filename x/y.py --output-format json <a/leak.py); same "$?" 1
has "$PWD/x/y.py" "$out"
out=$("$torchleak" check - --stdin-filename x/y.py --output-format concise <clean.py); same "$?" 0
out=$("$torchleak" check - b --output-format concise <a/leak.py); has "-:8:" "$out"; has "b/leak.py:8:" "$out"
out=$("$torchleak" check --stdin-filename x/y.py --exclude x --force-exclude --output-format json <a/leak.py 2>/dev/null)
same "$?" 0; same "$out" "[]"
"$torchleak" check - <&- 2>"$work/.err"; same "$?" 2
has "standard input cannot be read" "$(cat "$work/.err")"

# The same bytes for any number of threads and in every run.
for i in $(seq 60); do leak "t/$((i % 7))/f$i.py"; done
for format in full concise json sarif; do
  "$torchleak" check -j1 --output-format $format >one; "$torchleak" check -j8 --output-format $format >eight
  "$torchleak" check --output-format $format >again
  cmp -s one eight && cmp -s one again || { last=$format; same "equal output" "other output"; }
done

finish
