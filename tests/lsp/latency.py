#!/usr/bin/env python3
"""How long diagnostics take while somebody types: from an edit to their publication, in ms.

    latency.py BINARY [FILE.py] [--edits 400] [--json]

Opens the file (without one, a training file of 2,000 lines) and types statements into it, one
character after the other, each when the diagnostics of the one before have come, and takes them out
again; so some of the texts are broken. Without debounce.
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

import project
from client import Client, ServerError, program
from documents import Document

TYPED = ["losses.append(loss.item())\n", "total = total + loss\n", "print(f'{loss:.3f}')\n",
         "if loss > best:\n", "# the loss so far\n", "history['loss'].append(loss)\n"]


def keystrokes(document, rng):
    """Changes without end: a statement before a line of the file, then away with it."""
    while True:
        lines = document.lines()
        row = rng.randrange(len(lines.begins))
        begin = lines.begins[row]
        text = document.text[begin:lines.ends[row]]
        indentation = text[:len(text) - len(text.lstrip())]
        typed = rng.choice(TYPED)
        yield begin, begin, indentation + "\n"
        begin += len(indentation)
        for done, character in enumerate(typed[:-1]):
            yield begin + done, begin + done, character
        yield begin - len(indentation), begin + len(typed), ""


def measure(args, root):
    path = root / "train.py"
    path.write_bytes(args.file.read_bytes() if args.file else project.training_file().encode())
    (root / "torchleak.toml").write_text("")
    document = Document(path.as_uri(), path.read_bytes().decode())
    taken = []
    with Client([args.binary, "server"], root, {"debounce": 0}) as client:
        document.encoding = client.encoding
        client.open(document.uri, "python", document.version, document.text)
        client.wait_published(document.uri, document.version)
        changes = keystrokes(document, random.Random(args.seed))
        for _ in range(args.edits):
            said = document.edit([next(changes)])
            at = client.change(document.uri, document.version, said)
            taken.append((client.wait_published(document.uri, document.version).at - at) * 1000)
        found = len(client.published[document.uri].diagnostics)
    taken.sort()
    share = lambda part: round(taken[min(len(taken) - 1, int(part * len(taken)))], 2)
    return {"lines": document.text.count("\n"), "edits": len(taken), "findings": found,
            "median_ms": share(0.5), "p90_ms": share(0.9), "p99_ms": share(0.99),
            "max_ms": round(taken[-1], 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("binary", type=program)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--edits", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.file and not args.file.is_file():
        parser.error(f"{args.file}: there is no such file")
    if args.edits < 1:
        parser.error("--edits: at least one")
    with tempfile.TemporaryDirectory(prefix="torchleak-latency-") as folder:
        try:
            result = measure(args, Path(folder).resolve())
        except ServerError as problem:
            print(problem, file=sys.stderr)
            return 1
    if args.json:
        print(json.dumps(result))
    else:
        print("{lines} lines, {edits} edits, {findings} findings: median {median_ms} ms, "
              "p90 {p90_ms} ms, p99 {p99_ms} ms, max {max_ms} ms".format(**result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
