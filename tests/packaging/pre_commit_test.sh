#!/bin/bash
# The pre-commit hooks, as docs/pre-commit.md has them, word for word: in a repository with a leak, in one that is
# clean, in one without Python, and with --fix. `git` is told to find the project's address in a folder here.
. "$(dirname "$0")/lib.sh"
copy_tree project
export PRE_COMMIT_HOME=$work/pre-commit PIP_FIND_LINKS=$made/wheels
mkdir -p "$HOME"  # for its .gitconfig: pre-commit hands no variable of git's on
git config --global user.name test
git config --global user.email test@example.com
git config --global init.defaultBranch main
git config --global "url.$work/project.insteadOf" https://github.com/torchleak/torchleak
venv installed
installed/bin/pip install -q --no-index "$made"/wheels/torchleak-*.whl
PATH=$work/installed/bin:$PATH  # for torchleak-system
pre_commit() { last="pre-commit $*"; out=$("$tools/bin/pre-commit" "$@" 2>&1); }

# block N: the N-th YAML block of the page.
block() { awk -v n="$1" '/^```yaml/ { i++; on = i == n; next } /^```/ { on = 0 } on' "$source/docs/pre-commit.md"; }

# repository FOLDER FILE…: with these files staged, and copies of ours among them.
repository() {
  git init -q "$1"
  (cd "$1" && shift && for file; do
    case $file in
      leak.*) leak "$file" ;;
      meter.ipynb) cp "$source/docs/examples/training.ipynb" "$file" ;;
      *.py) clean "$file" ;;
      *) echo text >"$file" ;;
    esac
  done && git add -A)
}
repository leaks leak.py clean.py README.md
repository notebooks meter.ipynb
repository clean clean.py README.md
repository none README.md

count=$(grep -c '^```yaml' "$source/docs/pre-commit.md")
[ "$count" -ge 4 ] || fail "docs/pre-commit.md has $count YAML blocks"
for n in $(seq "$count"); do
  block "$n" >config.yaml
  grep -E 'rev:|torchleak==' config.yaml | grep -qv "$version" && fail "block $n is not about version $version"
  for folder in leaks notebooks clean none; do
    cp config.yaml "$folder/.pre-commit-config.yaml"
    git -C "$folder" add .pre-commit-config.yaml
    cd "$folder" || exit 1
    pre_commit run
    status=$?
    cd "$work" || exit 1
    case $folder in
      leaks) same "block $n: $status" "block $n: 1"; has TLK101 "$out"; has leak.py: "$out" ;;
      notebooks)
        same "block $n: $status" "block $n: 1"
        if grep -q -e --fix config.yaml; then has "files were modified" "$out"; else has meter.ipynb:cell "$out"; fi
        git -C notebooks checkout -q -- . ;;
      clean) same "block $n: $status" "block $n: 0"; has Passed "$out" ;;
      none) same "block $n: $status" "block $n: 0"; has Skipped "$out" ;;
    esac
  done
done

# try-repo, as one tries a hook before it is configured.
cd leaks || exit 1
pre_commit try-repo "$work/project" torchleak --all-files
same "$?" 1; has TLK101 "$out"
cd ../clean || exit 1
pre_commit try-repo "$work/project" torchleak-system --all-files
same "$?" 0; has Passed "$out"

# --fix changes what is safe, stops the commit, and the next one passes.
cd "$work" || exit 1
repository fixed clean.py
cd fixed || exit 1
cat >train.py <<'PY'
import torch


def predict(model, loader):
    model.eval()
    classes = []
    for inputs in loader:
        classes.append(model(inputs).argmax(dim=1).tolist())
    return classes
PY
grep -l 'args: \[--fix\]' "$work/config.yaml" >/dev/null || fail "the last block of the page has no --fix"
cp "$work/config.yaml" .pre-commit-config.yaml
git add -A
"$tools/bin/pre-commit" install >/dev/null || fail "pre-commit install"
git commit -q -m first >"$work/commit.log" 2>&1 && fail "a commit with a finding goes through"
grep -q 'files were modified by this hook' "$work/commit.log" || fail "--fix: $(cat "$work/commit.log")"
grep -q no_grad train.py || fail "not fixed: $(cat train.py)"
git add -A
git commit -q -m first >"$work/commit.log" 2>&1 || fail "a fixed file does not pass: $(cat "$work/commit.log")"
same "$(git status --porcelain)" ""

# Names that look like options or argument files are names.
cd "$work" || exit 1
repository odd clean.py
cd odd || exit 1
leak leak.py
printf '#!/usr/bin/env python\n' >--exit-zero
chmod +x -- --exit-zero
echo --exit-zero >args.py
: >@args.py
cp "$work/leaks/.pre-commit-config.yaml" .
git add -A -- .
pre_commit run --all-files
same "$?" 1; has TLK101 "$out"

# Excluded by the configuration, and named by pre-commit nevertheless.
cd "$work/leaks" || exit 1
block 1 >.pre-commit-config.yaml
echo 'extend-exclude = ["leak.py"]' >torchleak.toml
pre_commit run --all-files
same "$?" 0; has Passed "$out"
finish
