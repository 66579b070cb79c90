#!/usr/bin/env python3
"""A start on a large project: the file that is opened first has its diagnostics before the others
are known, and in the end all findings are those of a fresh `torchleak check`.

    start.py BINARY [--files 3500] [--runs 1]

Prints how long both took, in ms.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import expected
from client import Client, ServerError, program
from documents import Document

WIDTH = 50  # files of a package

MODULE = '''\
"""Part {n} of a project that was made for a measurement."""
import torch
from torch import nn
{imports}

class Block{n}(nn.Module):
    def __init__(self, width, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return x + self.dropout(torch.relu(self.linear(self.norm(x))))


def loss_{n}(model, batch):
    loss = model(batch).mean()
    loss.backward()
    return {returned}


def epoch_{n}(model, loader, optimizer):
    total = 0.0
    kept = []
    for batch in loader:
        optimizer.zero_grad()
        kept.append({call})
        optimizer.step()
        total += len(batch)
    return total, kept
'''


def name(number):
    return f"pkg_{number // WIDTH:02}/part_{number}.py"


def module(number, rng):
    """Imports a few of the files before it, and calls the loss of one; some give the tensor back."""
    others = sorted({rng.randrange(number) for _ in range(min(number, 3))})
    imports = "".join(f"from pkg_{n // WIDTH:02}.part_{n} import loss_{n}\n" for n in others)
    called = others[-1] if others else number
    return MODULE.format(n=number, imports=imports, call=f"loss_{called}(model, batch)",
                         returned="loss" if number % 40 == 0 else "loss.item()")


def write(root, count):
    rng = random.Random(1)
    for package in range((count - 1) // WIDTH + 1):
        (root / f"pkg_{package:02}").mkdir()
        (root / f"pkg_{package:02}" / "__init__.py").write_text("")
    for number in range(count):
        (root / name(number)).write_text(module(number, rng))
    (root / "torchleak.toml").write_text("")
    (root / "main.py").write_text(
        f"from pkg_00.part_0 import loss_0, epoch_0\n\n\ndef main(model, loader):\n    kept = []\n"
        f"    for batch in loader:\n        kept.append(loss_0(model, batch))\n    return kept\n")


def of_all(client):
    """What workspace/diagnostic says of every file."""
    result = client.request("workspace/diagnostic", {"previousResultIds": []}, timeout=300)
    return {item["uri"]: expected.published(item["items"])
            for item in result["items"] if item["items"]}


def measure(args, root, wanted):
    document = Document((root / "main.py").as_uri(), (root / "main.py").read_text())
    begin = time.perf_counter()
    with Client([args.binary, "server"], root) as client:
        document.encoding = client.encoding
        client.open(document.uri, "python", document.version, document.text)
        first = client.wait_published(document.uri, document.version, timeout=300)
        shown = expected.published(first.diagnostics)
        found = of_all(client)
        whole = time.perf_counter()
        last = expected.published(client.published[document.uri].diagnostics)
        if client.stray_answers() or client.unanswered(0):
            raise ServerError(f"stray {client.stray_answers()}, missing {client.unanswered(0)}")
    if found != wanted:
        differs = sorted(uri for uri in found.keys() | wanted.keys()
                         if found.get(uri) != wanted.get(uri))
        raise ServerError(f"{len(differs)} files differ from `torchleak check`: {differs[:3]}\n"
                          f"server: {found.get(differs[0])}\ncheck:  {wanted.get(differs[0])}")
    for said in (shown, last):
        if said != wanted[document.uri]:
            raise ServerError(f"{document.uri}: {said}, not {wanted[document.uri]}")
    print(f"first diagnostics after {(first.at - begin) * 1000:.0f} ms, "
          f"all {sum(map(len, found.values()))} findings of {args.files + 1} files after "
          f"{(whole - begin) * 1000:.0f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("binary", type=program)
    parser.add_argument("--files", type=int, default=3500)
    parser.add_argument("--runs", type=int, default=1)
    args = parser.parse_args()
    if args.files < 1:
        parser.error("--files: at least one")
    with tempfile.TemporaryDirectory(prefix="torchleak-start-") as folder:
        root = Path(folder).resolve()
        write(root, args.files)
        places = expected.Places(root, root, "utf-16")
        wanted = expected.diagnostics(expected.check(args.binary, root), places)
        if not wanted:
            raise SystemExit("the project has no findings")
        try:
            for _ in range(args.runs):
                measure(args, root, wanted)
        except ServerError as problem:
            print(problem, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
