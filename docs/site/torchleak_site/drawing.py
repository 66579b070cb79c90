"""Draws a finding's path through its code as SVG: numbered dots and arcs on the left, the code with what is
underlined, and below each underlined place what happens there.

Colours are classes, so that the style sheet gives them for both palettes. The code's colours are those of
its Markdown blocks: both come from Pygments' token types.
"""

from __future__ import annotations

import dataclasses
import html
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from pygments.lexers import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType

from .analyzer import Finding, Step
from .rules import Example, Rule

FONT_SIZE = 13.0
CELL = 7.8  # the width of a character; textLength holds every font to it
ROW = 20
LEAST_COLUMNS = 52
DOT = 8.0
LANE = 8.0
FIRST_LANE = 10.0  # from the edge of a dot to the nearest arc
MARGIN = 14.0

# What marks the finding for the tests. In the picture the finding itself is there.
_MARK = re.compile(r"\s*# TLK\d{3}(?: TLK\d{3})*$")


@dataclass(frozen=True)
class Note:
    """A step as it is shown: its number, and the rows of its text below the line."""

    number: int
    step: Step
    is_finding: bool
    indent: int
    text: tuple[str, ...]


@dataclass(frozen=True)
class Arc:
    top: float
    bottom: float
    down: bool
    lane: int  # 0: straight, nothing lies between


def draw(rule: Rule) -> str:
    return _Drawing(rule.example, f"path-{rule.code}").svg(
        f"The path of {rule.code} {rule.name} through the code"
    )


def _steps(finding: Finding) -> list[tuple[Step, bool]]:
    """In order of the events. The finding's own place is one of them, or comes last."""
    place = finding.place
    steps = [(s, (s.row, s.begin, s.end) == (place.row, place.begin, place.end)) for s in finding.flow]
    if not any(own for _, own in steps):
        # What is found stands above the picture.
        steps.append((dataclasses.replace(place, message="reported here"), True))
    return steps


def _tokens(code: str) -> list[list[tuple[str, str]]]:
    """For each line its pieces, with the class that Pygments gives them."""
    lines: list[list[tuple[str, str]]] = [[]]
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for kind, value in lexer.get_tokens(code):
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((_css_class(kind), piece))
    return lines


def _css_class(kind: _TokenType | None) -> str:
    while kind is not None:
        if kind in STANDARD_TYPES:
            return STANDARD_TYPES[kind]
        kind = kind.parent
    return ""


class _Drawing:
    def __init__(self, example: Example, identity: str) -> None:
        self._identity = identity
        self._finding = example.finding
        self._lines = [_MARK.sub("", line) for line in example.code.rstrip("\n").split("\n")]
        self._columns = max(LEAST_COLUMNS, *(len(line) for line in self._lines))
        self._notes = list(self._make_notes())
        self._tops = self._place_lines()
        self._centers = self._place_notes()
        self._arcs = self._place_arcs()
        lanes = max((arc.lane for arc in self._arcs), default=0)
        self._center = (FIRST_LANE + (lanes - 1) * LANE if lanes else 0) + DOT + 2
        self._left = self._center + DOT + MARGIN
        self._width = self._left + self._columns * CELL + 4

    def _make_notes(self) -> Iterator[Note]:
        for number, (step, is_finding) in enumerate(_steps(self._finding), 1):
            indent = min(step.begin - 1, self._columns // 3)
            message = step.message.replace("`", "")
            text = textwrap.wrap(message, self._columns - indent, break_on_hyphens=False)
            yield Note(number, step, is_finding, indent, tuple(text))

    def _notes_of(self, row: int) -> list[Note]:
        return [note for note in self._notes if note.step.row == row]

    def _place_lines(self) -> list[float]:
        """The top of each line of code; one more for the end."""
        tops = [6.0]
        for row in range(1, len(self._lines) + 1):
            below = sum(len(note.text) for note in self._notes_of(row))
            tops.append(tops[-1] + ROW + below * ROW + (4 if below else 0))
        return tops

    def _place_notes(self) -> dict[int, float]:
        """The middle of each note's first row of text, by number."""
        centers: dict[int, float] = {}
        for row in range(1, len(self._lines) + 1):
            y = self._tops[row - 1] + ROW + 2
            for note in self._notes_of(row):
                centers[note.number] = y + ROW / 2
                y += ROW * len(note.text)
        return centers

    def _place_arcs(self) -> list[Arc]:
        """Short arcs lie inside of long ones; two that share rows do not share a lane."""
        pairs = [(self._centers[n], self._centers[n + 1]) for n in range(1, len(self._notes))]
        arcs: list[Arc] = []
        for start, end in sorted(pairs, key=lambda pair: abs(pair[1] - pair[0])):
            top, bottom = min(start, end), max(start, end)
            between = any(top < y < bottom for y in self._centers.values())
            lane = 0
            if between or start > end:
                taken = {a.lane for a in arcs if a.top <= bottom and top <= a.bottom}
                lane = next(n for n in range(1, len(pairs) + 1) if n not in taken)
            arcs.append(Arc(top, bottom, start < end, lane))
        return arcs

    def svg(self, title: str) -> str:
        height = self._tops[-1] + 6
        width = self._width
        # Shrinks to 0.72 of its size before its frame has to scroll.
        size = f"max-width:{width:.0f}px;min-width:{width * 0.72:.0f}px"
        out = [
            f'<svg class="tl-path" xmlns="http://www.w3.org/2000/svg" role="img" style="{size}" '
            f'viewBox="0 0 {width:.1f} {height:.1f}" '
            f'aria-labelledby="{self._identity}-title {self._identity}-desc">',
            f'<title id="{self._identity}-title">{html.escape(title)}</title>',
            f'<desc id="{self._identity}-desc">{html.escape(self._description())}</desc>',
        ]
        out += [self._draw_band(note) for note in self._notes]
        out += [self._draw_arc(arc) for arc in self._arcs]
        out += list(self._draw_code())
        for note in self._notes:
            out += self._draw_note(note)
        return "".join(out) + "</svg>"

    def _description(self) -> str:
        told = [f"{n.number}. Line {n.step.row}: {n.step.message}." for n in self._notes]
        return " ".join(told)

    def _x(self, column: int) -> float:
        return self._left + column * CELL

    def _draw_code(self) -> Iterator[str]:
        for row, tokens in enumerate(_tokens("\n".join(self._lines))):
            line = self._lines[row]
            if line:
                pieces = "".join(
                    f'<tspan class="{kind}">{html.escape(text)}</tspan>' if kind else html.escape(text)
                    for kind, text in tokens
                )
                yield self._text("tl-code", 0, self._tops[row] + ROW / 2, line, pieces)

    def _text(self, kind: str, column: int, center: float, plain: str, inner: str) -> str:
        return (
            f'<text class="{kind}" x="{self._x(column):.1f}" y="{center + 4.5:.1f}" '
            f'textLength="{len(plain) * CELL:.1f}" xml:space="preserve">{inner}</text>'
        )

    def _draw_band(self, note: Note) -> str:
        if not note.is_finding:
            return ""
        top = self._tops[note.step.row - 1]
        return (
            f'<rect class="tl-band tl-{self._finding.severity}" x="{self._left - 6:.1f}" y="{top:.1f}" '
            f'width="{self._width - self._left + 4:.1f}" height="{ROW}" rx="3"/>'
        )

    def _draw_note(self, note: Note) -> Iterator[str]:
        kind = f"tl-{self._finding.severity}" if note.is_finding else "tl-step"
        y = self._tops[note.step.row - 1] + ROW - 1
        begin = note.step.begin - 1
        line = self._lines[note.step.row - 1]
        end = note.step.end - 1 if note.step.end_row == note.step.row else len(line)
        end = max(begin + 1, min(end, len(line)))
        yield (
            f'<path class="tl-underline {kind}" d="M{self._x(begin):.1f} {y:.1f}H{self._x(end):.1f}"/>'
        )
        center = self._centers[note.number]
        for number, text in enumerate(note.text):
            at = center + number * ROW
            yield self._text(f"tl-say {kind}", note.indent, at, text, html.escape(text))
        yield (
            f'<circle class="tl-dot {kind}" cx="{self._center:.1f}" cy="{center:.1f}" r="{DOT}"/>'
            f'<text class="tl-number" x="{self._center:.1f}" y="{center + 4:.1f}">{note.number}</text>'
        )

    def _draw_arc(self, arc: Arc) -> str:
        """From edge to edge of the dots, with an arrow where it ends."""
        x = self._center
        if arc.lane == 0:
            top, bottom = arc.top + DOT, arc.bottom - DOT
            shape, tip = f"M{x:.1f} {top:.1f}V{bottom:.1f}", (x, bottom)
            head = f"M{tip[0] - 3:.1f} {tip[1] - 4.5:.1f}l3 4.5l3 -4.5"
        else:
            lane = x - DOT - FIRST_LANE + 1 - (arc.lane - 1) * LANE
            edge, r = x - DOT, min(6.0, (arc.bottom - arc.top) / 2)
            shape = (
                f"M{edge:.1f} {arc.top:.1f}H{lane + r:.1f}Q{lane:.1f} {arc.top:.1f} {lane:.1f} "
                f"{arc.top + r:.1f}V{arc.bottom - r:.1f}Q{lane:.1f} {arc.bottom:.1f} "
                f"{lane + r:.1f} {arc.bottom:.1f}H{edge:.1f}"
            )
            y = arc.bottom if arc.down else arc.top
            head = f"M{edge - 4.5:.1f} {y - 3:.1f}l4.5 3l-4.5 3"
        return f'<path class="tl-arc" d="{shape}"/><path class="tl-arc" d="{head}"/>'
