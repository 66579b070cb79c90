"""sarif_test.py TORCHLEAK NODE GATE: the report of a whole project, and of one that is too large, as GitHub takes it.

The project is fixtures/: all rules, notebooks, hostile text. GATE is where tests/golden/sarif_gate is installed.
"""

import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

from line_hash import line_hashes
from runner import CHECKOUT

TORCHLEAK, NODE, GATE = str(Path(sys.argv[1]).resolve()), sys.argv[2], sys.argv[3]
LEVELS = ("error", "warning", "note")
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAIL: {what}")


def report(source, file, *options):
    """What is found, and the run of the SARIF log."""
    done = subprocess.run([TORCHLEAK, "check", ".", "--isolated", "--no-cache", "--exit-zero", "-q",
                           "--output-format", "json-lines", "--output-format", f"sarif:{file}", *options],
                          cwd=source, check=True, stdout=subprocess.PIPE)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    (run,) = json.loads(file.read_text(encoding="utf-8"))["runs"]
    return found, run


def places(run):
    for result in run["results"]:
        (location,) = result["locations"]
        location = location["physicalLocation"]
        yield result, unquote(location["artifactLocation"]["uri"]), location["region"]


def whole_project(folder):
    file = folder / "project.sarif"
    found, run = report(CHECKOUT / "fixtures", file)
    check(len(run["results"]) == len(found) > 200, f"results: {len(run['results'])} of {len(found)}")
    hashes = {}
    for result, path, region in places(run):
        if path not in hashes:
            with open(CHECKOUT / "fixtures" / path, encoding="utf-8", newline="") as source:
                hashes[path] = line_hashes(source.read())
        wanted = hashes[path].get(region["startLine"])
        got = result["partialFingerprints"]["primaryLocationLineHash"]
        check(got == wanted, f"{path}:{region['startLine']}: hash {got}, not {wanted}")
    gate = subprocess.run([NODE, CHECKOUT / "tests/golden/sarif_gate/validate.mjs", GATE, file], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    check(gate.returncode in (0, 77), gate.stdout)  # 77: there is no validator for this system
    print(f"fixtures/: {len(found)} results in {len(hashes)} files, {len(gzip.compress(file.read_bytes()))} bytes")


def too_large(folder):
    """More than 10 MB when compressed: what goes is the least severe, and it is said."""
    source = folder / "large"
    source.mkdir()
    letters = random.Random(6)

    def word(length):
        return "".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=length))

    for number in range(75):
        text = "import torch.nn.functional as F\n"
        for _ in range(95):
            kept, taken, lines = word(60), word(60), [f"        # {word(440)}\n" for _ in range(4)]
            text += (f"\n\ndef evaluate_{word(40)}(model, loader):\n    {kept} = []\n    for {taken}, y in loader:\n"
                     f"{lines[0]}{lines[1]}        {kept}.append(F.cross_entropy(model({taken}), y))\n"
                     f"{lines[2]}{lines[3]}    return {kept}\n")
        (source / f"part{number}.py").write_text(text, encoding="utf-8")
    file = folder / "large.sarif"
    found, run = report(source, file, "--select", "TLK101,TLK203")
    size = len(gzip.compress(file.read_bytes(), 6))
    check(8_000_000 < size <= 10_000_000, f"compressed: {size} bytes")
    kept = [result["level"] for result in run["results"]]
    lost = len(found) - len(kept)
    check(lost > 0, "nothing is left out")
    for level, worse in zip(LEVELS[1:], LEVELS):
        all_worse = sum(f["severity"] == worse for f in found)
        check(level not in kept or kept.count(worse) == all_worse, f"a {level} is kept, some {worse} is not")
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    start = f"{lost} of {len(found)} findings were left out, the least severe first"
    check(notice["message"]["text"].startswith(start), f"the notice: {notice['message']['text']}")
    print(f"large: {len(kept)} of {len(found)} results, {size} bytes")


def main():
    with tempfile.TemporaryDirectory(prefix="torchleak-github-") as top:
        whole_project(Path(top))
        too_large(Path(top))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
