# Anything at all as input: a message or a finding, never a crash, a hang or a lost report on the
# other files. Each bad file lies next to a good one whose finding must come out.
. "$(dirname "$0")/lib.sh"
beside() { # beside STATUS FILE: checks FILE together with a leak
  mkdir -p beside; leak beside/zz_leak.py
  run "$1" check "$2" beside --output-format concise
  has "beside/zz_leak.py:8:" "$out"
  rm -rf beside
}

: >empty.py; beside 1 empty.py
printf 'import torch\n' >short.py; beside 1 short.py
printf '\xef\xbb\xbfimport torch\nx = 1\n' >bom.py; beside 1 bom.py
printf 'import torch\r\ndef f():\r\n    return 1\r\n' >crlf.py; beside 1 crlf.py
printf 'import torch\rdef f():\r    return 1\r' >cr.py; beside 1 cr.py
printf '# -*- coding: latin-1 -*-\nimport torch\ns = "\xe9"\n' >latin1.py; beside 1 latin1.py
printf 'import torch\ns = "\xff\xfe\x80"\n' >invalid.py; beside 1 invalid.py
printf 'import torch\nif x:\n\ty = 1\n        z = 2\n' >tabs.py; beside 1 tabs.py
printf 'import torch\nprint "python 2", torch\nexec "x"\n' >py2.py; beside 1 py2.py
printf 'import torch\ndef f(:\n  ]]] \n' >syntax.py; beside 1 syntax.py
printf 'import pytorch_lightning as pl\nclass M(pl.LightningModule):\n    def training_step(self, batch, i):\n        self.manual_backward(self.loss(self(batch)))\n        lof"{ss = self.loss(self(batch))\n        self.manual_backw**ard(loss, retain_graph=True)' >call.py; beside 1 call.py
printf 'import torch' >no_newline.py; beside 1 no_newline.py
printf '\x7fELF\0\0torch\0' >binary.py; beside 2 binary.py; has "binary.py" "$err"
printf 'import torch\nx = "\0"\n' >nul.py; beside 2 nul.py; has "nul.py" "$err"
printf '\xff\xfei\0m\0p\0o\0r\0t\0' >utf16.py; beside 2 utf16.py; has "utf16.py" "$err"
# The same noise in every run, with and without NUL bytes.
noise() { LC_ALL=C awk -v low="$1" 'BEGIN { srand(7); for (i = 0; i < 100000; i++) printf "%c", low + int(rand() * (256 - low)) }'; }
{ echo torch; noise 0; } >random.py; beside 2 random.py
{ echo torch; noise 1; } >noise.py; beside 1 noise.py
{ echo torch; noise 1 | LC_ALL=C tr '\200-\377' '\0-\177' | tr -d '\0'; } >ascii.py; beside 1 ascii.py

# In a folder they are passed over, with a warning.
mkdir odd; mv binary.py nul.py odd; run 0 check odd; has "warning: odd/nul.py" "$err"; rm -r odd
beside 2 missing.py; has "missing.py: no such file or directory" "$err"
mkdir folder.py; leak folder.py/x.py; run 1 check .; has "folder.py/x.py" "$out"; rm -r folder.py
mkfifo pipe.py; beside 1 empty.py; run 0 check --show-files .; hasnt pipe.py "$out"; rm pipe.py

# The rest of a file with a syntax error is still analysed.
{ printf 'import torch\n\ndef broken(:\n    pass\n\n\n'; leak part; sed 1,2d part; } >middle.py
run 1 check middle.py --select TLK101; has "TLK101" "$out"
rm part

# Big and deep.
truncate -s 100M big.py; beside 2 big.py; has "too large" "$err"
{ echo 'import torch'; printf 'x = '; head -c 200000 /dev/zero | tr '\0' '('; echo; } >parens.py
beside 1 parens.py
{ echo 'import torch'; printf 'x = '; head -c 20000 /dev/zero | tr '\0' '('; printf 1
  head -c 20000 /dev/zero | tr '\0' ')'; echo; } >balanced.py
beside 1 balanced.py
{ echo 'import torch'; echo 'def f(x):'; yes '    x = torch.relu(x) + 1' | head -100000; } >long.py
beside 1 long.py
{ echo 'import torch'; printf 'x = torch.a'; yes '.b' | head -50000 | tr -d '\n'; echo; } >chain.py
beside 1 chain.py
{ echo 'import torch'; printf 'x = 1'; yes ' + 1' | head -50000 | tr -d '\n'; echo; } >sum.py
beside 1 sum.py
{ echo 'import torch'; for i in $(seq 0 90); do printf '%*sif x:\n' "$i" ''; done; printf '%*sy = 1\n' 91 ''; } >deep.py
beside 1 deep.py
rm -f big.py parens.py balanced.py long.py chain.py sum.py

# Folders and files without permission. Root may read everything: there nobody looks.
leak locked/x.py; leak locked_file.py; leak open/x.py; chmod 0 locked locked_file.py
chmod 755 "$work"
as_user=
if [ "$(id -u)" = 0 ]; then as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"; fi
if $as_user test -x "$torchleak" 2>/dev/null; then
  out=$($as_user "$torchleak" check --output-format concise 2>"$work/err"); same "$?" 2
  has "open/x.py:8:" "$out"; hasnt "locked/x.py" "$out"
  has "locked: cannot be read: permission denied" "$(cat "$work/err")"
  has "locked_file.py: cannot be read" "$(cat "$work/err")"
else
  echo "left out: no other user who can run $torchleak"
fi
chmod 755 locked locked_file.py

# A working directory that is gone.
mkdir gone; (cd gone && rmdir ../gone && "$torchleak" check "$work/open" >/dev/null 2>&1; same "$?" 1; exit $failed) || failed=1
# It is none: least of all is it the whole disk.
mkdir gone; cd gone && rmdir ../gone
run 2 check; has "working directory does not exist" "$err"
run 2 check x.py "$work/open"; has "working directory does not exist" "$err"
run 2 check --watch "$work/open"; has "working directory does not exist" "$err"
run 0 version
cd "$work"
finish
