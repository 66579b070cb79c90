# kill -9 at a random moment of `check --fix`: every file is the old or the fixed one, what else is
# left has a name that tells, and the next run finishes the work and cleans up.
#   kill_test.sh TORCHLEAK [RUNS]
. "$(dirname "$0")/lib.sh"
runs=${2:-40}
files=72

# Every file holds findings of several rules, so that each gets several edits.
write_tree() {
  local i
  for i in $(seq 1 $files); do
    leak "$1/part$((i % 6))/module_$i.py"
    cat >>"$1/part$((i % 6))/module_$i.py" <<PY


def train_$i(model, loader, optimizer):
    total = 0
    for inputs, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward(retain_graph=True)
        optimizer.step()
        total += loss
    return total
PY
  done
}

same_as_old_or_new() { # every file of tree/
  local file old=0 new=0 name
  while IFS= read -r file; do
    name=${file#tree/}
    if cmp -s "$file" "old/$name"; then old=$((old + 1))
    elif cmp -s "$file" "new/$name"; then new=$((new + 1))
    else fail "$file is neither old nor new"; fi
  done < <(find tree -name '*.py')
  [ $((old + new)) = $files ] || fail "$((old + new)) files instead of $files"
  echo "$new" >>fixed_counts
}

write_tree old
cp -r old new
begin=$(date +%s%N)
run 0 check --isolated --fix --unsafe-fixes --exit-zero new
whole=$((($(date +%s%N) - begin) / 1000))  # microseconds
has "Fixed" "$out"
for file in $(cd old && find . -name '*.py'); do
  cmp -s "old/$file" "new/$file" && fail "$file has nothing to fix: the test tests nothing"
done

RANDOM=7
killed=0 partly=0
# How long a run takes depends on what else the machine does: `whole` follows, so that most are hit.
for ((i = 0; killed < runs && i < 5 * runs; i++)); do
  rm -rf tree; cp -r old tree
  # Most of the time is analysis; every other run is killed in its second half, where files change.
  range=$whole from=0
  if ((i % 2)); then from=$((whole / 2)) range=$((whole / 2)); fi
  delay=$((from + (RANDOM * 32768 + RANDOM) % (range + 1)))
  "$torchleak" check --isolated --fix --unsafe-fixes --exit-zero tree >/dev/null 2>&1 &
  pid=$!
  sleep "$(printf '%d.%06d' $((delay / 1000000)) $((delay % 1000000)))"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  if [ $? = 137 ]; then killed=$((killed + 1)) whole=$((whole * 21 / 20)); else whole=$((whole * 9 / 10)); fi
  last="run $i, killed after $delay us"
  same_as_old_or_new
  strange=$(find tree -type f ! -name '*.py' ! -name '.torchleak-??????.tmp')
  same "$strange" ""
  n=$(tail -1 fixed_counts)
  ((n > 0 && n < files)) && partly=$((partly + 1))
  run 0 check --isolated --show-files tree; hasnt ".tmp" "$out"
  run 0 check --isolated --fix --unsafe-fixes --exit-zero tree
  diff -r tree new >/dev/null || fail "the run after '$last' does not finish the work"
done
echo "$killed of $i runs were killed, $partly of them with some files changed"
[ $killed = "$runs" ] || fail "only $killed runs could be killed"
finish
