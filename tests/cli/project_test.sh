# Files that import each other: checked together, alone with --single-file, and asked about by `why`.
. "$(dirname "$0")/lib.sh"

mkdir -p repo/.git repo/app repo/lib
cat >repo/lib/losses.py <<'PY'
import torch


def live(model, x, y):
    return torch.nn.functional.mse_loss(model(x), y)
PY
cat >repo/lib/meters.py <<'PY'
class Meter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)
PY
cat >repo/app/evaluate.py <<'PY'
import torch
from lib.losses import live
from lib.meters import Meter


def evaluate(model, loader):
    meter = Meter()
    for x, y in loader:
        meter.update(live(model, x, y))
    return meter
PY
touch repo/lib/__init__.py repo/app/__init__.py
cd repo || exit 1

# The finding stands where the loss is handed over, its steps lead into the other file.
run 1 check; has "app/evaluate.py:9:9" "$out"; has "lib/meters.py" "$out"; has "self.values.append(value)" "$out"
run 1 check --output-format concise; has "app/evaluate.py:9:9: error TLK101" "$out"; whole=$out
run 1 check --output-format json; has "$PWD/lib/meters.py" "$out"
run 1 check --output-format sarif; has "lib/meters.py" "$out"

# The same for any way to name the files: their order, one file alone, from another folder.
run 1 check lib app --output-format concise; same "$out" "$whole"
run 1 check app/evaluate.py lib/meters.py lib/losses.py --output-format concise; same "$out" "${whole/5 files/3 files}"
run 1 check app/evaluate.py --output-format concise; has "app/evaluate.py:9:9: error TLK101" "$out"
(cd app && "$torchleak" check --output-format concise >"$work/.out"); has "evaluate.py:9:9: error TLK101" "$(cat "$work/.out")"
(cd "$work" && "$torchleak" check repo/app --output-format concise >"$work/.out"); has "repo/app/evaluate.py:9:9" "$(cat "$work/.out")"

# The counts tell files that are looked at only because others import them.
run 1 check --verbose; has "checked 5 of 5 files" "$err"; has "2 files (0.00 MB) had to be parsed, and 1 that" "$err"
run 1 check app --verbose; has "checked 2 of 2 files" "$err"; has "and 2 that they import" "$err"

# Alone, nothing is known of either.
run 0 check --single-file; hasnt "TLK" "$out"
run 0 check --single-file --verbose; has "and 0 that they import" "$err"
run 0 check --help; has "single-file" "$out"

# Standard input takes the place of the file of that name, in its project.
out=$("$torchleak" check --stdin-filename app/evaluate.py --output-format concise <app/evaluate.py); same "$?" 1
has "app/evaluate.py:9:9: error TLK101" "$out"
out=$(sed 's/live(model, x, y)/live(model, x, y).item()/' app/evaluate.py |
  "$torchleak" check --stdin-filename app/evaluate.py --output-format concise); hasnt "TLK101" "$out"
out=$(sed 's/append(value)/append(float(value))/' lib/meters.py |
  "$torchleak" check app/evaluate.py --stdin-filename lib/meters.py --output-format concise)
hasnt "TLK101" "$out"

# why: what was believed at a line, with what the other files say.
run 0 why app/evaluate.py:9; has "lib/meters.py:5" "$out"; has "lib/losses.py:4" "$out"; has "reported: TLK101" "$out"
run 0 why lib/losses.py:5; has "app/evaluate.py:9" "$out"
run 0 why lib/meters.py:6; has "app/evaluate.py:9" "$out"
(cd "$work" && "$torchleak" why repo/app/evaluate.py:9 >"$work/.out"); has "reported: TLK101" "$(cat "$work/.out")"

# A caller that holds no_grad, in a file of its own.
cat >app/main.py <<'PY'
import torch
from app.evaluate import evaluate


def main(model, loader):
    with torch.no_grad():
        return evaluate(model, loader)
PY
run 0 check; run 0 why app/evaluate.py:9; has "app/main.py:7" "$out"; has "off" "$out"
run 0 check --select TLK101
rm app/main.py

# Files that nobody needs, broken ones and missing ones change nothing for the others.
mkdir other; leak other/leak.py
run 1 check app --output-format concise; has "app/evaluate.py:9:9" "$out"; hasnt "other/" "$out"
printf 'from .nowhere import x\nimport torch\nfrom . import (\n' >app/broken.py
run 1 check --output-format concise; has "app/evaluate.py:9:9" "$out"; has "app/broken.py:3" "$out"
chmod 000 lib/losses.py
if [ ! -r lib/losses.py ]; then
  run 2 check --output-format concise; has "lib/losses.py" "$err"
  run 0 check app/evaluate.py; same "$err" ""
fi
chmod 644 lib/losses.py

# A circle of imports, with threads.
for i in $(seq 40); do
  printf 'import torch\nimport circle.m%d as other\n\n\ndef f(model, x, kept):\n    kept.append(model(x))\n    return other.f(model, x, kept)\n' \
    $((i % 40 + 1)) >"$work/.m"
  mkdir -p circle; cp "$work/.m" "circle/m$i.py"
done
for jobs in 1 2 4; do
  "$torchleak" check -j$jobs --output-format json >"$work/j$jobs" 2>/dev/null; same "$?" 1
done
cmp -s "$work/j1" "$work/j2" && cmp -s "$work/j1" "$work/j4" || fail "another result with more threads"

finish
