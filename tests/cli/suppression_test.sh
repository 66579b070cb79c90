#!/bin/bash
# Comments that silence findings: what is shown, what is left to the exit status, what is said of
# the comments themselves.
. "$(dirname "$0")/lib.sh"

# leak_with FILE COMMENT: the finding's line ends with the comment.
leak_with() {
  leak "$1"
  sed -i "s|  # accumulated-tensor|$2|" "$1"
}

# Lines.
leak_with a.py '  # noqa: TLK101, TLK203'; run 0 check a.py; same "$err" ""
leak_with a.py '  # noqa: E501,tlk1 eval-with-grad'; run 0 check a.py
leak_with a.py '  # NOQA'; run 0 check a.py
leak_with a.py '  # torchleak: ignore[accumulated-tensor, TLK203] two batches'; run 0 check a.py
leak_with a.py '  # torchleak: ignore'; run 0 check a.py
leak_with a.py '  # noqa: TLK101'; run 1 check a.py --output-format concise
has "a.py:8:" "$out"; has TLK203 "$out"; hasnt TLK101 "$out"
leak_with a.py ' + ["  # noqa"]'; run 1 check a.py; has TLK101 "$out"
for format in json sarif full concise; do
  leak_with a.py '  # noqa: TLK1'; run 0 check a.py --select TLK101 --output-format $format
  hasnt a.py "$out"
done

# A multi-line statement, tabs, Windows line ends, no last line end.
printf 'import torch.nn.functional as F\r\n\r\n\r\ndef evaluate(model, loader):\r\n\tlosses = []\r\n\tfor x, y in loader:\r\n\t\tlosses.append(\r\n\t\t\tF.mse_loss(model(x), y)\r\n\t\t)  # noqa: TLK101, TLK203\r\n\treturn losses' >crlf.py
run 0 check crlf.py
sed -i 's/ TLK203//' crlf.py; run 1 check crlf.py --statistics; hasnt TLK101 "$out"; has TLK203 "$out"

# Files and ranges.
leak_with a.py ''; echo '# torchleak: ignore-file[TLK101, TLK203] an example' >>a.py; run 0 check a.py
leak_with a.py ''; echo '# torchleak: ignore-file' >>a.py; run 0 check a.py
leak_with a.py ''; sed -i '1i # torchleak: disable[TLK] all of it' a.py; run 0 check a.py
sed -i '6i # torchleak: enable[TLK]' a.py; run 1 check a.py; has TLK101 "$out"; has TLK001 "$out"
leak_with a.py ''; sed -i '1i # ruff: noqa\n# flake8: noqa' a.py; run 1 check a.py; has TLK101 "$out"

# What is unused, and what is wrong.
leak_with a.py '  # noqa: TLK101, TLK102, TLK203'
run 1 check a.py --output-format concise
same "$(grep -c ^a.py: <<<"$out")" 1
has "a.py:8:" "$out"; has TLK001 "$out"; has '`TLK102`' "$out"
run 0 check a.py --ignore TLK001
run 0 check a.py --ignore TLK102
run 0 check a.py --single-file
run 0 check a.py --select TLK101,TLK001
run 0 check a.py --fail-on error; has TLK001 "$out"
sed -i '1i # torchleak: ignore-file[TLK001]' a.py; run 0 check a.py
leak_with a.py '  # noqa'; sed -i 's/^    return.*/&  # torchleak: ignor[TLK101]/' a.py
run 1 check a.py; has "did you mean \`ignore\`?" "$out"; has TLK002 "$out"
run 0 check a.py --ignore invalid-suppression

# Files without a word of torch, standard input, several at once.
mkdir plain; echo 'x = 1  # noqa: TLK101' >plain/x.py; run 1 check plain; has TLK001 "$out"
run 0 check plain --select TLK1
leak_with a.py '  # noqa: TLK101, TLK203'
run 0 check - --stdin-filename in.py <a.py
sed 's/TLK203/TLK102/' a.py >in.py; run 1 check - --stdin-filename in.py <in.py
has "in.py:8" "$out"; has TLK001 "$out"
mkdir many; for i in 1 2 3 4 5 6; do cp in.py many/$i.py; done
run 1 check many -j 1; one=$out; run 1 check many -j 4; same "$one" "$out"

# `why` says what a comment keeps back.
leak_with a.py '  # noqa: E501, TLK101, TLK203 known'
run 0 why a.py:8; has 'Suppressed here' "$out"; has '`# noqa: E501, TLK101, TLK203 known` (line 8)' "$out"
run 0 why a.py:7; hasnt 'Suppressed here' "$out"
leak_with a.py '  # noqa: E501'; run 0 why a.py:8; hasnt 'Suppressed here' "$out"

# --ignore-noqa.
leak_with a.py '  # noqa'; run 1 check a.py --ignore-noqa; has TLK101 "$out"
leak_with a.py '  # noqa: TLK101, TLK102, TLK203'
run 1 check a.py --ignore-noqa; has TLK101 "$out"; hasnt TLK001 "$out"

# --add-noqa: merged with what is there, twice is once, encoding and line ends stay.
mkdir add; leak_with add/a.py '  # noqa: E501'; leak_with add/b.py '  # why'
printf '# coding: latin-1\r\n# caf\xe9\r\nimport torch.nn.functional as F\r\n\r\n\r\ndef evaluate(model, loader):\r\n\tlosses = []\r\n\tfor x, y in loader:\r\n\t\tlosses.append("""\r\n""" and F.mse_loss(model(x), y))\r\n\treturn losses' >add/c.py
run 0 check add --add-noqa; same "$out" "Added 3 noqa directives in 3 files."
has '  # noqa: E501, TLK101, TLK203' "$(cat add/a.py)"
has '  # why  # noqa: TLK101, TLK203' "$(cat add/b.py)"
has $'y))  # noqa: TLK101, TLK203\r\n\treturn losses' "$(cat add/c.py)x"
LC_ALL=C grep -q $'caf\xe9\r$' add/c.py || fail "the encoding of add/c.py"
cp -r add once; run 0 check add --add-noqa; same "$out" "Added 0 noqa directives in 0 files."
diff -r add once || fail "a second --add-noqa changed something"
run 0 check add
echo 'x = (' >add/d.py; echo 'import torch' >>add/d.py
run 0 check add --add-noqa; has "1 finding left" "$out"
leak ro/a.py; chmod 555 ro; chmod 444 ro/a.py
if [ "$(id -u)" != 0 ]; then run 2 check ro --add-noqa; has "ro/a.py" "$err"; fi
chmod 755 ro; chmod 644 ro/a.py
leak_with a.py ''
run 2 check a.py --add-noqa --fix; run 2 check a.py --add-noqa --ignore-noqa
run 2 check - --add-noqa <a.py; has "standard input" "$err"

# --fix takes what is unused.
leak_with a.py '  # noqa: E501, TLK101, TLK102, TLK203'
run 0 check a.py --fix --fixable TLK001; has '  # noqa: E501, TLK101, TLK203' "$(cat a.py)"

# Bad input: nothing breaks.
printf 'import torch\n#noqa:TLK\xff101\n# torchleak: ignore[\xfe\n# torchleak: \n#\n# noqa:' >bad.py
run 1 check bad.py; has TLK002 "$out"
printf '# torchleak: disable[TLK1' >bad.py; run 1 check bad.py; has TLK002 "$out"
{ echo "import torch"; for _ in $(seq 20000); do
  echo "# torchleak: disable[TLK1]"; echo "x()  # noqa: TLK101 # noqa: TLK203"; done; } >big.py
run 1 check big.py --statistics; has TLK001 "$out"
finish
