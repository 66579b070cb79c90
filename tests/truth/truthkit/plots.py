"""Bars on a logarithmic scale as SVG: the same bytes for the same figures, readable on light and on dark."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 760, 210, 110, 12, 8, 50

_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.bad { fill: #c8452f } .good { fill: #2f8f5b }
.line { fill: none; stroke-width: 2.5 } .line.bad { stroke: #c8452f } .line.good { stroke: #2f8f5b }
.grid { stroke: #8885; stroke-width: 1 }
.small { font-size: 11px; fill: #57606a }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .small { fill: #9da7b1 } .bad { fill: #e5674f } .good { fill: #4cb37c } }
"""


@dataclass
class Bar:
    """One rule: the figure of the bad block and of the good one, with their texts. Zero has no bar."""

    name: str
    bad: float
    bad_text: str
    good: float
    good_text: str


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{name} text-anchor="{anchor}">{escape(text)}</text>'


@dataclass
class Panel:
    """Memory at each step of a bad and of a good block, in bytes above that of the first."""

    name: str
    bad: list[float]
    good: list[float]
    top: float
    top_text: str


def curves(title: str, panels: list[Panel]) -> str:
    """Small pictures side by side, each with a scale of its own, whose end is written at its top."""
    across, wide, high = 3, WIDTH / 3, 128
    height = 50 + high * math.ceil(len(panels) / across)
    out = _head(title, height, 0)
    for i, panel in enumerate(panels):
        left, top = wide * (i % across) + 6, 50 + high * (i // across)
        right, bottom, first = left + wide - 24, top + high - 30, top + 22
        out.append(_text(left, top + 12, panel.name))
        out.append(_text(right, top + 12, panel.top_text, "small", "end"))
        out.append(f'<path d="M{left:.0f} {bottom} H{right:.0f} M{left:.0f} {first} V{bottom}" class="grid" fill="none"/>')
        for values, kind in ((panel.good, "good"), (panel.bad, "bad")):
            step = (right - left) / max(1, len(values) - 1)
            scale = (bottom - first) / panel.top
            points = [f"{left + step * n:.1f},{bottom - scale * min(max(v, 0.0), panel.top):.1f}" for n, v in enumerate(values)]
            if points:
                out.append(f'<polyline points="{" ".join(points)}" class="line {kind}"/>')
    return "\n".join([*out, "</svg>", ""])


def _head(title: str, height: float, left: float) -> list[str]:
    """The beginning of a picture, its title, and what the colours mean."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        _text(0, 16, title, "title"),
        f'<rect x="{left}" y="26" width="10" height="9" class="bad"/>{_text(left + 15, 35, "bad block", "small")}',
        f'<rect x="{left + 90}" y="26" width="10" height="9" class="good"/>'
        + _text(left + 105, 35, "good block, or the bad one after its fix", "small"),
    ]


def bars(title: str, data: list[Bar], low: float, ticks: list[tuple[float, str]]) -> str:
    """`low` is where the scale begins, `ticks` its marks; the last one is its end."""
    high = max(ticks[-1][0], *(max(bar.bad, bar.good) for bar in data)) if data else ticks[-1][0]
    span = WIDTH - LEFT - RIGHT
    row = 2 * BAR + GAP
    height = TOP + row * len(data) + 26

    def at(value: float) -> float:
        return LEFT + span * (math.log10(max(value, low)) - math.log10(low)) / (math.log10(high) - math.log10(low))

    out = _head(title, height, LEFT)
    for value, label in ticks:
        x = at(value)
        out.append(f'<path d="M{x:.0f} {TOP} V{height - 22}" class="grid"/>')
        out.append(_text(x, height - 8, label, "small", "middle"))
    for i, bar in enumerate(data):
        y = TOP + row * i + GAP / 2
        out.append(_text(LEFT - 8, y + BAR + 4, bar.name, "", "end"))
        for value, text, kind, top in ((bar.bad, bar.bad_text, "bad", y), (bar.good, bar.good_text, "good", y + BAR)):
            width = max(0.0, at(value) - LEFT) if value > 0 else 0.0
            if width:
                out.append(f'<rect x="{LEFT}" y="{top:.1f}" width="{width:.1f}" height="{BAR - 1}" class="{kind}"/>')
            out.append(_text(LEFT + width + 5, top + BAR - 2, text, "small"))
    return "\n".join([*out, "</svg>", ""])
