# The cache of `check`, and `clean`.
. "$(dirname "$0")/lib.sh"
unset TORCHLEAK_CACHE_DIR
leak a.py; clean b.py; mkdir .git
cache=.torchleak_cache
entries() { ls "$1" 2>/dev/null | grep -c '\.tlk$'; }

# The second run takes the first one's result: the same bytes, the same status, in any format.
for format in full concise json sarif; do
  run 1 check --no-cache --output-format $format; fresh=$out
  run 1 check --output-format $format; same "$out" "$fresh"; same "$err" ""
  run 1 check --output-format $format; same "$out" "$fresh"; same "$err" ""
done
run 1 check -v; has "cache: taken from $PWD/$cache" "$err"
same "$(entries $cache)" 1
same "$(cat $cache/.gitignore)" "*"; has "Signature: 8a477f597d28d172789f06886806bc55" "$(cat $cache/CACHEDIR.TAG)"
mkdir -p sub; cd sub || exit 1; clean x.py; run 0 check -v; has "kept in ${PWD%/sub}/$cache" "$err"; cd .. || exit 1
leak c.py; run 1 check -v; has "c.py:8" "$out"; has "cache: checked anew (changed: $PWD/" "$err"  # c.py, or x.py
rm c.py; run 1 check -v; hasnt "c.py:8" "$out"; has "gone: $PWD/c.py" "$err"
printf '# moved\n' | cat - a.py >moved && mv moved a.py; run 1 check; has "a.py:9" "$out"
touch -d '2001-01-01' a.py; run 1 check -v; has "taken from" "$err"  # times do not count

# Where it lies.
run 0 clean; same "$out" "removed $cache"; [ -e $cache ] && fail "it is still there"
run 1 check --no-cache; [ -e $cache ] && fail "made with --no-cache"
run 1 check --cache-dir one/two; same "$(entries one/two)" 1
export TORCHLEAK_CACHE_DIR=$work/elsewhere
run 1 check; same "$(entries elsewhere)" 1
run 1 check --cache-dir one/two -v; has "taken from $PWD/one/two" "$err"
run 1 check - <a.py; same "$(entries elsewhere)" 1
unset TORCHLEAK_CACHE_DIR
[ -e $cache ] && fail "made although another was named"
run 0 clean one; same "$out" "removed one/two"
run 0 clean; same "$out" "removed elsewhere"
run 0 clean; same "$out" "no cache found"
run 2 clean missing; has "missing" "$err"

# Never into folders of others; what cannot be used is done without, and not a word.
run 1 check --cache-dir .; same "$err" ""; [ -e .gitignore ] && fail "a .gitignore in the project"
run 1 check --cache-dir . -v; has "is not empty and no cache of torchleak" "$err"
run 1 check --cache-dir a.py; same "$err" ""
run 1 check --cache-dir /proc/none; same "$err" ""
run 1 check --cache-dir /proc/none -v; has "not kept: " "$err"
run 1 check --no-cache; fresh=$out
run 1 check; entry=$(ls $cache/*.tlk)
damage() { run 1 check; same "$out" "$fresh"; same "$err" ""; run 1 check -v; has "taken from" "$err"; }
: >"$entry"; damage
head -c 100 "$entry" >part && cat part >"$entry"; damage
head -c 5000 /dev/urandom >"$entry"; damage
printf 'x' >>"$entry"; damage
rm "$entry"; mkdir "$entry"; run 1 check; same "$out" "$fresh"; same "$err" ""; rmdir "$entry"
mkfifo "$entry"; run 1 check; same "$out" "$fresh"; rm -f "$entry"
rm $cache/CACHEDIR.TAG; touch $cache/mine; run 1 check; same "$(entries $cache)" 0; run 0 clean; [ -e $cache/mine ] || fail "not ours"
rm -r $cache
ln -s nowhere $cache; run 1 check; same "$out" "$fresh"; rm -f $cache; rm -rf nowhere

# A pipe is read once.
for i in 1 2; do
  out=$(timeout 20 "$torchleak" check --single-file <(cat a.py) --output-format concise 2>"$work/.err") || [ $? = 1 ] || fail "a pipe"
  last="a pipe"; has "TLK101" "$out"
done

# Settings are those of each file, wherever they are written.
config() { run "$1" check -v; has "$2" "$err"; same "$out" "$("$torchleak" check --no-cache 2>/dev/null)"; }
config 1 "kept in"
mkdir -p sub; leak sub/s.py; config 1 "checked anew"
printf 'ignore = ["ALL"]\n' >sub/torchleak.toml; config 1 "checked anew"; hasnt sub/s.py "$out"
config 1 "taken from"
printf '[severity]\nTLK101 = "note"\n' >torchleak.toml; config 1 "checked anew"
printf '# the same\n' | cat - torchleak.toml >t && mv t torchleak.toml; config 1 "taken from"
printf 'per-file-ignores = { "a.py" = ["TLK101"] }\n' >torchleak.toml; config 1 "checked anew"
rm torchleak.toml; config 1 "checked anew"
printf 'unknown = 1\n' >torchleak.toml; run 2 check; has "torchleak.toml:1:1" "$err"; rm -r torchleak.toml sub

# Another build of the program takes no entry of this one.
run 1 check; cp "$torchleak" other; printf 'x' >>other
has "checked anew (no entry yet)" "$(./other check -v 2>&1 >/dev/null)"
same "$(entries $cache)" 2
run 0 clean

# Eight runs at once, some of them killed: each that ends says the same, and so does the next.
for i in $(seq 40); do leak many/m$i.py; done
run 1 check many --no-cache; fresh=$out
for round in 1 2 3; do
  rm -rf $cache; pids=()
  for i in 1 2 3 4 5 6 7 8; do "$torchleak" check many >par$i 2>&1 & pids+=($!); done
  sleep 0.0$round; kill -9 "${pids[3]}" "${pids[6]}" 2>/dev/null
  wait "${pids[@]}" 2>/dev/null
  for i in 1 2 3 5 6 8; do same "$(cat par$i)" "$fresh"; done
  run 1 check many; same "$out" "$fresh"
  run 1 check many -v; has "taken from" "$err"
done
# While files change.
for i in $(seq 20); do
  "$torchleak" check many >/dev/null 2>&1 &
  leak many/m$((i * 2)).py; sed -i "1i # $i" many/m$i.py
  wait
done
run 1 check many --no-cache; fresh=$out; run 1 check many; same "$out" "$fresh"

finish
