# `torchleak baseline`, check --baseline, check --baseline-commit.
. "$(dirname "$0")/lib.sh"
unset CI
base=torchleak-baseline.json
leak() { # one finding, whatever the function's name
  mkdir -p "$(dirname "$1")"
  cat >"$1" <<'PY'
import torch


def collect(model, loader, optimizer):
    losses = []
    for inputs, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses
PY
}
quiet_run() { run "$@"; same "$err" ""; }

# Written, then nothing is new; the file names no line.
leak a.py; leak sub/b.py
run 0 baseline; has "$base: 2 findings (2 added, 0 dropped)" "$out"
quiet_run 0 check --baseline $base
cp $base first.json
run 0 baseline; has "2 findings (0 added, 0 dropped)" "$out"; cmp -s $base first.json || fail "it changed"
same "$(grep -c '"rule": "TLK101"' $base)" 2
hasnt '"row"' "$(cat $base)"

# Edits around a finding, another name, another function: still known.
sed -i '1i # one\n\n# two\n' a.py
sed -i 's/losses/kept/g; s/model/net/g' a.py
sed -i 's/def collect/def measure/' sub/b.py
quiet_run 0 check --baseline $base
cmp -s $base first.json || fail "a run in which nothing is gone must not write"
# One more of them is new, and only that.
sed 's/collect/again/' a.py | grep -v import >>a.py
run 1 check --baseline $base --output-format concise; same "$(grep -c TLK101 <<<"$out")" 1; has "a.py:30:" "$out"
has "Found 1 warning" "$out"
leak c.py; run 1 check --baseline $base --output-format json; same "$(grep -c '"code": "TLK101"' <<<"$out")" 2
rm c.py; leak a.py

# What is gone is dropped, unless CI is set; what a run did not look at stays.
clean sub/b.py
CI=true run 0 check --baseline $base; has "1 entry found no more; \`torchleak baseline" "$err"
cmp -s $base first.json || fail "CI must not write"
quiet_run 0 check --baseline $base a.py
quiet_run 0 check --baseline $base --ignore TLK101
quiet_run 0 check --baseline $base --min-confidence high
quiet_run 0 check --baseline $base --single-file
quiet_run 0 check --baseline $base --exclude sub
cmp -s $base first.json || fail "a run that looks at less must not write"
printf 'import torch\ndef broken(:\n' >>sub/b.py
run 1 check --baseline $base; cmp -s $base first.json || fail "what does not parse is not gone"
clean sub/b.py
run 0 check --baseline $base; has "note: $base: dropped 1 entry found no more" "$err"
hasnt sub/b.py "$(cat $base)"; has '"a.py"' "$(cat $base)"
leak sub/b.py; run 1 check --baseline $base
cp first.json $base; rm -r sub
run 0 check --baseline $base -q; same "$err" ""; hasnt sub/b.py "$(cat $base)"
leak sub/b.py

# Paths of entries begin at the file's folder.
mkdir -p etc; run 0 baseline --output etc/b.json; has '"../a.py"' "$(cat etc/b.json)"
quiet_run 0 check --baseline etc/b.json
cd sub || exit 1; quiet_run 0 check --baseline ../etc/b.json; cd .. || exit 1
# A part is updated, the rest stays; a comment and the mode, too.
sed -i 's/"comment": "[^"]*"/"comment": "ours"/' etc/b.json; chmod 640 etc/b.json; clean a.py
run 0 baseline --output etc/b.json sub; has '"../a.py"' "$(cat etc/b.json)"; has '"ours"' "$(cat etc/b.json)"
same "$(stat -c %a etc/b.json)" 640
run 0 baseline --output etc/b.json; hasnt '"../a.py"' "$(cat etc/b.json)"
leak a.py

# What is known is accepted: --diff and --fix leave it alone, and mend what is new.
cp first.json $base; run 0 check --baseline $base --diff --unsafe-fixes; same "$out" ""
run 0 check --baseline $base --fix --unsafe-fixes; cmp -s $base first.json || fail "--fix wrote"
leak c.py; run 0 check --baseline $base --fix --unsafe-fixes; has "Fixed" "$out$err"
hasnt "append(loss)" "$(cat c.py)"; has "append(loss)" "$(cat a.py)"; cmp -s $base first.json || fail "--fix wrote"; rm c.py

# Wrong files: a message with the place, and the file as it was.
run 2 check --baseline none.json; has "none.json: no such baseline; \`torchleak baseline --output none.json\`" "$err"
run 2 check --baseline sub; has "sub: the baseline cannot be read: Is a directory" "$err"
wrong() { # wrong TEXT MESSAGE
  printf '%s' "$1" >wrong.json
  run 2 check --baseline wrong.json; has "error: wrong.json:$2" "$err"; same "$out" ""
  run 2 baseline --output wrong.json; has "error: wrong.json:$2" "$err"
  same "$(cat wrong.json)" "$1"
}
wrong '' "1:1: not valid JSON"
wrong '{"version": 7, "new": {}}' "1:13: a baseline of version 7"
wrong "$(sed 's/"findings": \[/"findings": [\n<<<<<<< HEAD/' first.json)" "6:1: a merge conflict"
wrong "$(sed '/a.py/{p}' first.json)" "7:5: the same entry as in line 6"
wrong "$(head -c 300 first.json)" "7:"
cp first.json fixed.json; chmod 400 fixed.json; clean sub/b.py
run 0 check --baseline fixed.json; has "warning: fixed.json: the baseline cannot be written" "$err"
cmp -s fixed.json first.json || fail "written though read-only"
run 2 baseline --output nowhere/b.json; has "cannot be written" "$err"
leak sub/b.py
same "$(find . -name '*.tmp')" ""

# Since a commit.
run 2 check --baseline-commit main; has "is in no git working tree" "$err"
git() { command git -c user.name=t -c user.email=t@t.org -c init.defaultBranch=main "$@"; }
git init -q . && git add a.py sub && git commit -qm one && git tag v1
quiet_run 0 check --baseline-commit v1
quiet_run 0 check --baseline-commit HEAD a.py
leak c.py; sed -i '1i # more' a.py; git mv sub/b.py moved.py
run 1 check --baseline-commit v1 --output-format concise
same "$(grep -c TLK101 <<<"$out")" 1; has "c.py:11" "$out"
run 1 check "$PWD" --baseline-commit main --output-format concise; same "$(grep -c TLK101 <<<"$out")" 1
mkdir -p deep/er; leak deep/er/d.py; cd deep/er || exit 1
run 1 check --baseline-commit v1 --output-format concise; has "d.py:11" "$out"
run 0 check ../../a.py --baseline-commit v1
cd ../.. || exit 1
before=$(git status --porcelain); run 1 check --baseline-commit v1; same "$before" "$(git status --porcelain)"
# Today's configuration holds for both sides.
run 0 check --baseline-commit v1 --per-file-ignores 'c.py:TLK1' --exclude deep --exclude nothing
printf 'per-file-ignores = { "c.py" = ["ALL"], "deep/**" = ["ALL"] }\nmin-confidence = "low"\n' >torchleak.toml
run 0 check --baseline-commit v1; rm torchleak.toml
printf 'baseline = "kept.json"\n' >.torchleak.toml; run 0 baseline; has "kept.json: " "$out"
quiet_run 0 check; rm .torchleak.toml kept.json
run 2 check --baseline-commit nothing; has "git knows no commit 'nothing'" "$err"
run 2 check --baseline-commit --help; hasnt "usage: git" "$err"
git clone -q --depth 1 "file://$PWD" shallow 2>/dev/null && cd shallow || exit 1
run 2 check --baseline-commit v0; has "shallow clone" "$err"; has "fetch --unshallow" "$err"
cd .. || exit 1
mkdir empty
last="no git"; has "needs git" "$(env PATH="$work/empty" "$torchleak" check --baseline-commit v1 2>&1)"

# Nothing stays in the temporary folder, also after a signal.
mkdir tmp; export TMPDIR=$work/tmp
run 1 check --baseline-commit v1; same "$(ls tmp)" ""
for i in $(seq 300); do leak many/m$i.py; done; git add many; git commit -qm many
for signal in INT TERM HUP; do
  for delay in 0.02 0.06 0.12; do
    timeout --preserve-status -s $signal $delay "$torchleak" check --baseline-commit HEAD >/dev/null 2>&1
    same "$(ls tmp)" ""
  done
done

finish
