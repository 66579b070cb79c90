#!/usr/bin/env python3
"""Draws the terminal pictures of the documentation: runs torchleak, turns its colours into SVG.

    python3 docs/images/terminal.py           # writes the pictures anew
    python3 docs/images/terminal.py --check   # exit status 1 when one is not up to date

Needs Python's standard library and a built binary (--torchleak, default build/release/bin/torchleak).
The output is shown as it is; only lines wider than the window are broken, at a blank.
"""
import argparse
import html
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Picture -> arguments of torchleak.
PICTURES = {
    "terminal.svg": ["check", "fixtures/scripts/train_classifier.py"],
    "scripts.svg": ["check", "fixtures/scripts"],
}

COLUMNS = 102
FONT_SIZE = 14
CELL = FONT_SIZE * 0.6  # of every run; textLength holds other fonts to it
LINE = 20
PADDING = 22
BAR = 38

BACKGROUND, BORDER, TITLE_BAR = "#12151c", "#2a303c", "#1a1e27"
TEXT, DIM = "#c9d1dc", "#7d8796"
COLOURS = {31: "#ff7b72", 32: "#7ee08a", 33: "#f0b34e", 34: "#6e7f99", 35: "#d2a8ff", 36: "#56c8d8"}
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

ESCAPE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)")


def run(torchleak, arguments):
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_HYPERLINK")}
    environment.update(COLUMNS=str(COLUMNS), FORCE_COLOR="1")
    done = subprocess.run([torchleak, *arguments], cwd=ROOT, env=environment, timeout=60,
                          stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"torchleak {' '.join(arguments)}: exit status {done.returncode}")
    return done.stdout.decode()


def cells(line):
    """One (character, colour, bold) for each column."""
    out, colour, bold, at = [], TEXT, False, 0
    for escape in list(ESCAPE.finditer(line)) + [None]:
        end = escape.start() if escape else len(line)
        out += [(c, colour, bold) for c in line[at:end]]
        if escape is None:
            break
        at = escape.end()
        for code in (escape.group(1) or "0").split(";") if escape.group(1) is not None else []:
            number = int(code or 0)
            if number == 0:
                colour, bold = TEXT, False
            elif number == 1:
                bold = True
            elif number == 2:
                colour = DIM
            else:
                colour = COLOURS.get(number, colour)
    return out


def broken(row):
    """Rows of at most COLUMNS cells, broken at a blank where there is one."""
    while len(row) > COLUMNS:
        cut = COLUMNS
        while cut > COLUMNS // 2 and row[cut - 1][0] != " ":
            cut -= 1
        if cut == COLUMNS // 2:
            cut = COLUMNS
        yield row[:cut]
        row = row[cut:]
    yield row


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def draw_row(row, top):
    """Text in runs of one style; lines of the frame as lines, so that they meet in every font."""
    shapes, column = [], 0
    while column < len(row):
        character, colour, bold = row[column]
        if character == " ":
            column += 1
            continue
        end = column
        box = character if character in "─│" else None
        while end < len(row) and row[end][1:] == (colour, bold):
            if (row[end][0] if row[end][0] in "─│" else None) != box:
                break
            if row[end][0] == " " and all(c == " " for c, *_ in row[end:end + 2]):
                break  # a gap: the next run has its own place
            end += 1
        x, right, middle = PADDING + column * CELL, PADDING + end * CELL, top + LINE / 2
        if box == "─":
            shapes.append(f'<path d="M{number(x)} {number(middle - 5)}H{number(right)}" stroke="{colour}" '
                          'stroke-width="1.5"/>')
        elif box == "│":
            shapes.append(f'<path d="M{number(x + CELL / 2)} {number(top)}v{LINE}" stroke="{colour}" '
                          'stroke-width="1.2"/>')
        else:
            run_text = "".join(c for c, *_ in row[column:end])
            stripped = run_text.rstrip()
            if stripped:
                weight = ' font-weight="700"' if bold else ""
                fill = "" if colour == TEXT else f' fill="{colour}"'
                shapes.append(f'<text x="{number(x)}" y="{number(top + 15)}" '
                              f'textLength="{number(len(stripped) * CELL)}"{fill}{weight}>'
                              f'{html.escape(stripped, quote=False)}</text>')
        column = end
    return shapes


def draw(arguments, output):
    command = "torchleak " + " ".join(arguments)
    prompt = [("$", COLOURS[32], True), (" ", TEXT, False)] + [(c, "#f3f6fa", True) for c in command]
    rows = [prompt, []]
    for line in output.rstrip("\n").split("\n"):
        rows += broken(cells(line))
    width = round(2 * PADDING + COLUMNS * CELL)
    height = BAR + 2 * PADDING + len(rows) * LINE - 6
    shapes = []
    for index, row in enumerate(rows):
        shapes += draw_row(row, BAR + PADDING - 4 + index * LINE)
    dots = "".join(f'<circle cx="{24 + 20 * i}" cy="{BAR / 2:g}" r="6" fill="{c}"/>'
                   for i, c in enumerate(("#ff5f57", "#febc2e", "#28c840")))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">
<title>{html.escape(command)}</title>
<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="11" fill="{BACKGROUND}" stroke="{BORDER}"/>
<path d="M1 {BAR}V12a11 11 0 0 1 11-11H{width - 12}a11 11 0 0 1 11 11V{BAR}z" fill="{TITLE_BAR}"/>
<path d="M1 {BAR}.5H{width - 1}" stroke="{BORDER}"/>
{dots}
<g font-family="{FONTS}" font-size="{FONT_SIZE}" fill="{TEXT}" style="white-space:pre">
""" + "\n".join(shapes) + "\n</g>\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torchleak", default=str(ROOT / "build/release/bin/torchleak"), metavar="BINARY")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    torchleak = str(pathlib.Path(options.torchleak).resolve())
    stale = []
    for name, arguments in PICTURES.items():
        picture, path = draw(arguments, run(torchleak, arguments)), HERE / name
        if not options.check:
            path.write_text(picture, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != picture:
            stale.append(name)
    if stale:
        sys.exit(f"not what torchleak prints now: {', '.join(stale)}; run docs/update")


if __name__ == "__main__":
    main()
