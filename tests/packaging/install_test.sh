#!/bin/bash
# What `pip install` gives, in the ways that people install.
. "$(dirname "$0")/lib.sh"
wheel=$(echo "$made"/wheels/torchleak-*.whl)
leak leak.py
clean clean.py

# works_in BIN-FOLDER: the command, the module and find_torchleak_bin() are one and the same program.
works_in() {
  local bin=$1 status
  same "$("$bin/torchleak" version)" "torchleak $version"
  same "$("$bin/python" -m torchleak version)" "torchleak $version"
  same "$("$bin/python" -c 'import torchleak; print(torchleak.find_torchleak_bin())')" "$bin/torchleak"
  for program in "$bin/torchleak" "$bin/python -m torchleak"; do
    out=$($program check leak.py)
    same "$program: $?" "$program: 1"; has TLK101 "$out"
    $program check clean.py >/dev/null
    same "$program: $?" "$program: 0"
    $program chekc 2>/dev/null
    same "$program: $?" "$program: 2"
  done
}

venv a
a/bin/pip install -q --no-index "$wheel" || die "the wheel cannot be installed"
works_in "$work/a/bin"
same "$(a/bin/pip list --format freeze | grep torchleak)" "torchleak==$version"
a/bin/python -c 'import importlib.metadata as m; t = m.metadata("torchleak"); print(t["License-Expression"])' |
  grep -qx MIT || fail "the metadata does not name the licence"
a/bin/pip uninstall -q -y torchleak
[ -e a/bin/torchleak ] && fail "uninstalling leaves the program"

# --target and --prefix put the program elsewhere; the module finds it.
a/bin/pip install -q --no-index --target there "$wheel"
same "$(PYTHONPATH=there a/bin/python -m torchleak version)" "torchleak $version"
a/bin/pip install -q --no-index --prefix "$work/prefix" "$wheel"
packages=$(dirname "$(echo prefix/lib/python3.*/site-packages/torchleak)")
same "$(PYTHONPATH=$packages a/bin/python -m torchleak version)" "torchleak $version"
rm prefix/bin/torchleak
out=$(PYTHONPATH=$packages a/bin/python -m torchleak version 2>&1)
same "$?" 2; has "force-reinstall" "$out"

# A torchleak of another installation does not come first, wherever it lies.
mkdir -p "$HOME/.local/bin"
printf '#!/bin/sh\necho another\n' | tee "$HOME/.local/bin/torchleak" >a/bin/torchleak
chmod +x "$HOME/.local/bin/torchleak" a/bin/torchleak
same "$(PYTHONPATH=there a/bin/python -m torchleak version)" "torchleak $version"
chmod -x there/bin/torchleak  # what cannot be run is an error, and no finding
out=$(PYTHONPATH=there a/bin/python -m torchleak version 2>&1)
same "$?" 2; has "torchleak: error:" "$out"
rm -r "$HOME/.local" a/bin/torchleak

# The source distribution, and a checkout: compiled here. The cache has most of it from the wheel.
venv b
b/bin/pip install -q "$made/dist/torchleak-$version.tar.gz" || die "the source distribution cannot be installed"
works_in "$work/b/bin"
copy_tree tree
venv c
c/bin/pip install -q ./tree || die "the checkout cannot be installed"
works_in "$work/c/bin"
same "$(git -C tree status --porcelain)" ""
finish
