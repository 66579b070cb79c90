"""Does Python take from a cell what IPython takes?

    ipython.py VENV EDIT     as round_trip.py

IPython rewrites its magics to calls; torchleak overwrites them in place. Cells of random lines go
both ways: what IPython makes Python of must be Python here, too, with the same statements around
the magics, and no character may have moved.
"""

import ast
import json
import os
import random
import subprocess
import sys
import tempfile
import textwrap

import environment

# Each by itself a whole statement.
STATEMENTS = [
    "x = 1", "y = f(x)  # what?", "loss.backward()", "print('%d' % 3)", "s = 'é !ls %x?'",
    "t = '''\n%matplotlib\n!ls\nhelp?\n'''", "u = [\n  1,\n  2\n]", "v = x \\\n  % 3", "x != y",
    "r = r'\\''", "f(a=1, b='=!')", "z: int = 3", "x %= 2", "d = {'a': '?'}", "w = x % y",
    "s = \"it's\"", "b = b'''a'b\"\"\"c'''", "k = f\"{x!r:>{y}} {x['a']}\"", "m @= n", "q = p = 1",
    "f(x,\n  y=lambda a=1: a % 2)", "assert x == 1, \"!\"", "e = x == y", "g = x if y else z",
]
MAGICS = [
    "%matplotlib inline", "!pip install x  # why", "!ls \\\n  *.py", "%cd ..", "?x", "x?", "x.y??",
    "files = !ls *.py", "a, b = %env X", "p = %pwd", "x.y[0] = !ls", "h = %time f(x)",
    "%time i = f(x)", "%timeit -n 3 -r 2 f(x)", "%load_ext autoreload", "!!ls", "??x.y", "%x",
    "!echo 'a", "%run a.py --flag=\"b", "!echo (", "%config A.b = [", "l = !echo \"(\"",
    "*load*?", "%time", "!é", "j = !é", "n = %sql \\\n SELECT", "x.y?  ",
]
BLOCKS = ["if x:", "for i in y:", "def f(a=1):", "class A:", "with a as b:", "while x != 1:",
          "try:\n    pass\nfinally:"]


def random_cell(rng):
    lines, indent = [], 0
    for _ in range(rng.randrange(1, 8)):
        opens = rng.random() < 0.25 and indent < 3
        if opens:
            lines.append(textwrap.indent(rng.choice(BLOCKS), "    " * indent))
            indent += 1
        lines.append("    " * indent + rng.choice(STATEMENTS + MAGICS))
        if not opens:
            indent = rng.randrange(indent + 1)
        if rng.random() < 0.1:
            lines.append("")
    cell = "\n".join(lines)
    if rng.random() < 0.15:
        cell = rng.choice(["%%time\n", "%%capture out\n", "\n\n"]) + cell
    return cell


def masked(program, cells):
    """Each cell as torchleak's parser sees it."""
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
        {"cell_type": "code", "source": cell} for cell in cells]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.ipynb")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file)
        done = subprocess.run([program, path, os.devnull], input=b"[]", stdout=subprocess.PIPE,
                              check=True)
    read = json.loads(done.stdout)
    code, data = read["code"].encode(), read["bytes"].encode()
    assert len(code) == len(data)
    return [code[place["begin"]:place["end"]].decode() for place in read["cells"]]


def parsed(code):
    try:
        return ast.parse(code)
    except SyntaxError:
        return None


def statements(tree):
    """The plain statements without what stands for magics."""
    kept = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            if not names & {"get_ipython", "_", "__", "___"}:
                kept.append(ast.unparse(node))
    return kept


def main():
    venv, program = sys.argv[1:3]
    environment.enter(venv)
    from IPython.core.inputtransformer2 import TransformerManager

    rng = random.Random(7)
    cells = STATEMENTS + MAGICS + [random_cell(rng) for _ in range(3000)]
    taken = 0
    for cell, code in zip(cells, masked(program, cells)):
        body = cell
        while body.lstrip("\n").startswith("%%"):
            body = body.lstrip("\n").partition("\n")[2]
        theirs = parsed(TransformerManager().transform_cell(body))
        if theirs is None:
            continue
        taken += 1
        ours = parsed(code)
        assert ours is not None, f"not Python:\n{cell}\n---\n{code}"
        lost = set(statements(theirs)) - set(statements(ours))
        assert not lost, f"lost {lost}:\n{cell}\n---\n{code}"
    assert taken > len(cells) / 2, taken
    print(f"{taken} of {len(cells)} cells")


if __name__ == "__main__":
    main()
