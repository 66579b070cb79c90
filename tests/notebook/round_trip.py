"""What Jupyter's own library makes of notebooks before and after Notebook::Rewrite.

    round_trip.py VENV EDIT     EDIT: the program of edit.cpp

VENV: see environment.py. Random notebooks in several layouts get random
edits; afterwards

- nbformat reads both, and they differ in the edited cell's source alone, by just that edit;
- every byte outside of that source is what it was;
- in the layout that nbformat writes itself, the file is byte for byte what nbformat writes.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

import environment

LINES = [
    "import torch",
    "",
    "%matplotlib inline",
    "losses = []",
    "    losses.append(loss)  # größer 😀",
    "print('a\\n', \"b\\t\")",
    "\tx = '''",
    "!ls \\",
    "  y = 1 / 2",
]


def random_source(rng):
    source = "\n".join(rng.choice(LINES) for _ in range(rng.randrange(6)))
    return source + "\n" if rng.random() < 0.3 else source


def random_notebook(rng):
    import nbformat.v4 as v4

    cells = []
    for _ in range(rng.randrange(1, 6)):
        source = random_source(rng)
        if rng.random() < 0.25:
            cells.append(v4.new_markdown_cell(source))
            continue
        text = v4.new_output("stream", text="import torch\n")
        cells.append(v4.new_code_cell(source, execution_count=1, outputs=[text]))
    if all(cell.cell_type != "code" for cell in cells):
        cells.append(v4.new_code_cell("x = 1"))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return v4.new_notebook(cells=cells, metadata={"kernelspec": {
        "name": "python3", "display_name": "Python 3 (é)", "language": "python"}})


def layouts(notebook):
    """Name, text: as nbformat writes it, and as others do."""
    import nbformat

    canonical = nbformat.writes(notebook)
    yield "nbformat", canonical + "\n"
    split = json.loads(canonical)
    yield "minified", json.dumps(split, separators=(",", ":"))
    yield "escaped", json.dumps(split, indent=4, sort_keys=True)
    joined = json.loads(json.dumps(notebook))
    yield "joined", json.dumps(joined, indent="\t", ensure_ascii=False).replace("\n", "\r\n")
    yield "one line", json.dumps(split, ensure_ascii=False)


def random_edits(rng, size):
    """Spans within one text of `size` characters, with what replaces them."""
    marks = sorted(rng.sample(range(size + 1), min(size + 1, 2 * rng.randrange(1, 4))))
    if len(marks) % 2:
        marks.append(marks[-1])
    pieces = ["", "x", "\n", "new = 'é'\n", "a\n\nb", "\"\\ \U0001f600", "\t# ok\n"]
    return [(marks[i], marks[i + 1], rng.choice(pieces)) for i in range(0, len(marks), 2)]


def edited(text, edits):
    for begin, end, content in reversed(edits):
        text = text[:begin] + content + text[end:]
    return text


def call(program, before, edits):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("in.ipynb", "out.ipynb")]
        with open(paths[0], "wb") as file:
            file.write(before.encode())
        done = subprocess.run([program, *paths], input=json.dumps(edits).encode(),
                              capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())
        with open(paths[1], "rb") as file:
            return json.loads(done.stdout), file.read().decode()


def check_one(rng, program, notebook, layout, before):
    import nbformat

    read, same = call(program, before, [])
    assert same == before, "no edit changes a byte"
    wanted = [(i + 1, c) for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
    data = read["bytes"].encode()
    assert [c["number"] for c in read["cells"]] == [number for number, _ in wanted]
    for place, (_, cell) in zip(read["cells"], wanted):
        assert data[place["begin"]:place["end"]].decode() == cell.source
        assert place["id"] == cell["id"]
        assert data[:place["begin"]].count(b"\n") + 1 == place["row"]

    which = rng.randrange(len(wanted))
    number, cell = wanted[which]
    start = read["cells"][which]["begin"]
    edits = random_edits(rng, len(cell.source))
    if cell.source.endswith("\n") and which + 1 < len(wanted):
        # Behind its last line end the next cell begins.
        edits = [e for e in edits if e[0] < len(cell.source)]
    offset = lambda at: start + len(cell.source[:at].encode())
    _, after = call(program, before, [
        {"begin": offset(b), "end": offset(e), "content": content} for b, e, content in edits])

    expected = nbformat.from_dict(json.loads(json.dumps(notebook)))
    expected.cells[number - 1].source = edited(cell.source, edits)
    found = nbformat.reads(after, as_version=nbformat.NO_CONVERT)
    assert found == expected, f"{layout}: {edits}\n{before}\n---\n{after}"
    if layout == "nbformat":
        assert after == nbformat.writes(expected) + "\n", f"{edits}\n{before}\n---\n{after}"


def main():
    venv, program = sys.argv[1:3]
    environment.enter(venv)
    rng = random.Random(4)
    for _ in range(60):
        notebook = random_notebook(rng)
        for layout, before in layouts(notebook):
            check_one(rng, program, notebook, layout, before)
    print("ok")


if __name__ == "__main__":
    main()
