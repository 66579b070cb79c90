#!/bin/bash
# ruff beside torchleak: what ruff does to the codes in `# noqa`, with and without the setting that
# the page of TLK001 names. ruff comes from PyPI, once for each build folder.
. "$(dirname "$0")/lib.sh"
unset RUFF_CACHE_DIR RUFF_CONFIG
venv=$(dirname "$torchleak")/../test-tools/ruff
if [ ! -x "$venv/bin/ruff" ]; then
  python3 -m venv "$venv" && "$venv/bin/pip" install -q ruff ||
    { fail "ruff cannot be installed"; finish; }
fi
ruff() { "$venv/bin/ruff" "$@" --no-cache 2>&1; }

# E501 is a code of ruff, in use in the first file and not in the second.
leak used.py
sed -i 's/  # accumulated-tensor/  # noqa: E501, TLK101, TLK203/' used.py
run 0 check used.py
printf 'x = 1  # noqa: E501, TLK101\ny = 2  # torchleak: ignore[TLK101] no matter of ruff\n' >unused.py
run 1 check unused.py; has TLK001 "$out"
mkdir before && cp used.py unused.py before

# configure EXTERNAL
configure() {
  cp before/* .
  printf 'line-length = 60\n[lint]\nselect = ["E501", "RUF100", "RUF102"]\n%s\n' "$1" >ruff.toml
}

# With the setting our codes stay, and ruff's own goes when it is not needed.
configure 'external = ["TLK"]'
ruff check used.py >/dev/null || fail "ruff complains although the codes are external"
out=$(ruff check --fix .) || fail "ruff is not content: $out"
cmp used.py before/used.py || fail "ruff changed a file with lint.external"
same "$(cat unused.py)" 'x = 1  # noqa: TLK101
y = 2  # torchleak: ignore[TLK101] no matter of ruff'

# Without it they are reported and removed, and the findings come back.
configure ''
out=$(ruff check used.py) && fail "ruff says nothing of codes that it does not know"
has RUF102 "$out"; has TLK101 "$out"
ruff check --fix . >/dev/null
grep -q 'noqa: E501$' used.py || fail "ruff did not remove the codes: $(cat used.py)"
same "$(cat unused.py)" 'x = 1
y = 2  # torchleak: ignore[TLK101] no matter of ruff'
run 1 check used.py; has TLK101 "$out"

# The page says what this test shows.
run 0 rule TLK001
has 'external = ["TLK"]' "$out"
finish
