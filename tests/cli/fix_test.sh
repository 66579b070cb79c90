# --fix and its kin, from the command line to the bytes on disk.
. "$(dirname "$0")/lib.sh"
for program in patch git; do
  command -v $program >/dev/null || apt-get install -y -qq $program >/dev/null
done

summed() { # a safe fix, and nothing else to find
  mkdir -p "$(dirname "$1")"
  cat >"$1" <<'PY'
import torch


def train(model, loader, optimizer):
    total = 0.0
    for inputs, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        total += loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{total:.3f}")
PY
}
fixed() { sed 's/+= loss\(\r\?\)$/+= loss.item()\1/' "$1"; }
check() { local want=$1; shift; run "$want" check --isolated --output-format concise "$@"; }
nothing_left() { same "$(find "$1" -name '.torchleak-*')" ""; }

# --fix, then nothing more to do.
summed a.py; summed pkg/b.py; clean pkg/c.py; cp a.py old.txt
check 0 --fix .
has "Fixed 2 findings in 2 files (0 remaining)." "$out"
same "$(cat a.py)" "$(fixed old.txt)"; same "$(cat pkg/b.py)" "$(fixed old.txt)"
before=$(stat -c '%i %Y' a.py)
check 0 --fix .; hasnt "Fixed" "$out"; same "$(stat -c '%i %Y' a.py)" "$before"

# What remains is reported and decides on the status.
summed a.py; leak b.py
check 1 --fix .; has "b.py:8:" "$out"; hasnt "a.py:8" "$out"; has "Fixed 1 finding in 1 file (" "$out"
summed a.py; check 0 --fix-only .; hasnt "b.py" "$out"; has "Fixed 1 finding" "$out"
summed a.py; check 1 --fix-only --exit-non-zero-on-fix .
check 0 --fix-only --exit-non-zero-on-fix .
summed a.py; check 1 --fix --show-fixes .
has "- a.py:
    1 × TLK101 (accumulated-tensor)" "$out"
summed a.py; check 1 --fix --quiet .; hasnt "Fixed" "$out$err"
summed a.py; run 1 check --isolated --fix --output-format json .; hasnt Fixed "$out"; has Fixed "$err"

# Unsafe ones, and rules that may not be fixed.
check 1 --fix .; cp b.py unsafe.txt; cmp -s b.py unsafe.txt || fail "unsafe fix without --unsafe-fixes"
summed a.py; check 1 --fix --unfixable TLK101 .; has "a.py:8" "$out"
check 1 --fix --fixable TLK203 .; has "a.py:8" "$out"
check 0 --fix --unsafe-fixes --unfixable TLK107 b.py; hasnt ".append(loss)" "$(cat b.py)"
check 2 --fix --fixable TLK999 .; has "TLK999" "$err"
rm -f a.py b.py

# --diff writes nothing, and patch and git make of it what --fix makes.
mkdir diff; cd diff || exit 1
summed plain.py; leak "with blank.py"
summed crlf.py; sed -i 's/$/\r/' crlf.py
summed bom.py; sed -i '1s/^/\xef\xbb\xbf/' bom.py
summed latin.py; sed -i '1i # coding: latin-1\ns = "\xe9"' latin.py
summed invalid.py; sed -i '1i s = "\xff\xc3"' invalid.py
summed no_newline.py; truncate -s -1 no_newline.py
cp -r . ../patched; cp -r . ../applied; cp -r . ../old
"$torchleak" check --isolated --diff --unsafe-fixes . >../all.diff 2>/dev/null; same $? 1
diff -r . ../old || fail "--diff changed files"
check 0 --fix --unsafe-fixes .; has "in 7 files (0 remaining)" "$out"
cd ..
(cd patched && patch -p0 --binary --silent <../all.diff) || fail "patch refuses the diff"
(cd applied && git init -q . && git apply -p0 ../all.diff && rm -rf .git) || fail "git refuses the diff"
diff -r diff patched || fail "patch makes something else"
diff -r diff applied || fail "git makes something else"
cmp -s diff/crlf.py <(fixed old/crlf.py) || fail "crlf.py"
cmp -s diff/bom.py <(fixed old/bom.py) || fail "bom.py"
cmp -s diff/latin.py <(LC_ALL=C fixed old/latin.py) || fail "latin.py"
cmp -s diff/invalid.py <(LC_ALL=C fixed old/invalid.py) || fail "invalid.py"
cmp -s diff/no_newline.py <(fixed old/no_newline.py) || fail "no_newline.py"
check 0 --diff --unsafe-fixes diff; same "$out" ""
rm -rf diff patched applied old all.diff

# Colours when asked.
summed a.py; check 1 --diff --color always a.py; has $'\e[31m-' "$out"; check 1 --diff a.py; hasnt $'\e' "$out"
check 1 --diff --fix a.py; same "$(fixed a.py)" "$(summed b.py; fixed b.py)"; rm -f b.py

# Notebooks: the touched strings of the JSON, and nothing else; a diff for each cell.
mkdir nb; cat >nb/nb.ipynb <<'JSON'
{"nbformat": 4, "nbformat_minor": 5,
  "metadata": {"title": "\u00e9"},
 "cells": [
  {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "total += loss"},
  {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": null, "outputs": [],
   "source": ["%matplotlib inline\n", "import torch"]},
  {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": 1,
   "outputs": [{"name": "stdout", "output_type": "stream", "text": ["total += loss\n"]}],
   "source": [
    "def train(model, loader, optimizer):\n", "    total = 0.0\n", "    for inputs, labels in loader:\n",
    "        loss = torch.nn.functional.cross_entropy(model(inputs), labels)\n",
    "        total += loss\n",
    "        optimizer.zero_grad()\n", "        loss.backward()\n", "        optimizer.step()\n",
    "    print(f'caf\u00e9 {total}')"]}]
}
JSON
sed '/^    "        total/s/+= loss/+= loss.item()/' nb/nb.ipynb >nb.txt
check 1 --diff nb; has "--- nb/nb.ipynb:cell 3
+++ nb/nb.ipynb:cell 3
@@ -2,7 +2,7 @@
" "$out"
has "-        total += loss
+        total += loss.item()
" "$out"
check 0 --fix nb; cmp nb/nb.ipynb nb.txt || fail "bytes of the notebook"
check 0 --diff nb; same "$out" ""
rm -rf nb nb.txt

# Standard input: the code on standard output, what remains on standard error.
leak leak.txt; { cat a.py; sed 1,2d leak.txt; } >both.txt
"$torchleak" check --isolated --fix --stdin-filename x.py - <both.txt >out.txt 2>err.txt; same $? 1
same "$(cat out.txt)" "$(fixed both.txt)"; has "x.py" "$(cat err.txt)"
"$torchleak" check --isolated --fix - <out.txt 2>/dev/null >again.txt; cmp -s out.txt again.txt || fail "unchanged code"
printf 'x = "\0"' >nul.txt
"$torchleak" check --isolated --fix - <nul.txt 2>/dev/null >again.txt; cmp -s nul.txt again.txt || fail "code that cannot be read"
"$torchleak" check --isolated --diff --stdin-filename x.py - <a.py >out.txt 2>/dev/null; same $? 1
has "--- x.py" "$(cat out.txt)"
rm -f ./*.txt

# Mode, links.
summed real/a.py; chmod 751 real/a.py; ln -sf real/a.py a.py
check 0 --fix a.py; [ -L a.py ] || fail "the link is gone"
same "$(stat -c %a real/a.py)" 751; has "loss.item()" "$(cat real/a.py)"
summed real/a.py; check 0 --fix a.py real; has "loss.item()" "$(cat real/a.py)"; nothing_left .

# Files that cannot be written: an error, the file as it was, the others fixed.
summed ro/a.py; summed ro/b.py; cp ro/a.py old.txt; chmod 444 ro/a.py
check 2 --fix ro; has "ro/a.py: is read-only, so it was not changed" "$err"
has "ro/a.py:8" "$out"; has "Fixed 1 finding in 1 file (1 remaining)." "$out"
cmp -s ro/a.py old.txt || fail "a read-only file was changed"
chmod 644 ro/a.py; nothing_left ro

# A folder without permission; root may write anywhere, so another user tries.
summed locked/a.py; chmod 555 locked; chmod 755 "$work"
as_user=
[ "$(id -u)" = 0 ] && as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
if $as_user test -x "$torchleak" 2>/dev/null; then
  [ -n "$as_user" ] && chown -R 65534:65534 locked
  $as_user "$torchleak" check --isolated --fix locked >/dev/null 2>err.txt; same $? 2
  has "cannot be written: " "$(cat err.txt)"; cmp -s locked/a.py old.txt || fail "locked/a.py"
  if [ -n "$as_user" ]; then  # a file of somebody else that all may write to
    summed shared/a.py; chmod 666 shared/a.py; chmod 777 shared
    $as_user "$torchleak" check --isolated --fix shared >/dev/null 2>err.txt; same $? 2
    has "belongs to another user" "$(cat err.txt)"; cmp -s shared/a.py old.txt || fail "shared/a.py"
    nothing_left shared
  fi
else
  echo "left out: no other user who can run $torchleak"
fi
chmod 755 locked

# A full disk: a limit on the size of files stands for it, and a small one where that can be made.
summed full/a.py; for i in $(seq 300); do echo "x_$i = $i" >>full/a.py; done; cp full/a.py old.txt
(trap '' XFSZ; ulimit -f 1; exec "$torchleak" check --isolated --fix full >/dev/null 2>err.txt); same $? 2
has "full/a.py: cannot be written: file too large; it is as before" "$(tr 'A-Z' 'a-z' <err.txt)"
cmp -s full/a.py old.txt || fail "full/a.py"; nothing_left full
mkdir small
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
  summed small/a.py; yes 'x = 1' | head -6000 >>small/a.py; cp small/a.py old.txt
  check 2 --fix small; has "no space left on device" "$(tr 'A-Z' 'a-z' <<<"$err")"
  cmp -s small/a.py old.txt || fail "small/a.py"; nothing_left small
  umount small
else
  echo "left out: no right to mount a small disk"
fi

# What a killed run has left: not looked at, and gone after the next.
summed left/a.py; summed left/.torchleak-Ab12Cd.tmp; summed left/mine.tmp
check 1 left; has "(1 file checked)" "$out"
check 0 --fix left; same "$(ls -A left)" "a.py
mine.tmp"

finish
