"""A bar chart below a table whose rows compare sizes of memory. Which tables these are, their cells say."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from .markdown_text import inline_html, lines_of

_SIZE = re.compile(r"^(?:[^\d]{0,12}\s)?([\d,]+(?:\.\d+)?)\s(B|kB|KiB|MB|MiB|GB|GiB)\b")
_BYTES = {
    "B": 1, "kB": 1e3, "KiB": 2**10, "MB": 1e6, "MiB": 2**20, "GB": 1e9, "GiB": 2**30,
}  # fmt: skip


@dataclass(frozen=True)
class Bar:
    label: str
    size: float  # bytes
    shown: str


def _size(cell: str) -> tuple[float, str] | None:
    """What a cell says first: `5,480 MB a batch`, `none`, `peak 809 MB`."""
    plain = cell.replace("**", "").replace("`", "").strip()
    if re.match(r"none\b", plain):
        return 0.0, "none"
    found = _SIZE.match(plain)
    if not found:
        return None
    return float(found[1].replace(",", "")) * _BYTES[found[2]], f"{found[1]} {found[2]}"


def _bars(rows: list[list[str]], column: int) -> list[Bar]:
    bars = []
    for row in rows:
        size = _size(row[column]) if column < len(row) else None
        if size:
            bars.append(Bar(row[0], *size))
    return bars


def _chart(table: list[str]) -> str:
    cells = [[c.strip() for c in line.strip().strip("|").split(" |")] for line in table]
    head, rows = cells[0], cells[2:]
    for column in range(1, len(head)):
        bars = _bars(rows, column)
        most = max((bar.size for bar in bars), default=0)
        if len(bars) >= 2 and most > 0:
            return _html(head[column], bars, most)
    return ""


def _html(title: str, bars: list[Bar], most: float) -> str:
    least = min(bar.size for bar in bars)
    told = "; ".join(f"{re.sub('[`*]', '', bar.label)}: {bar.shown}" for bar in bars)
    label = html.escape(f"Bar chart, {title}. {told}", quote=True)
    out = [f'<figure class="tl-chart" role="img" aria-label="{label}">']
    out.append(f"<figcaption>{inline_html(title)}</figcaption>")
    for bar in bars:
        kind = "tl-least" if bar.size == least and least < most else "tl-most"
        out.append(
            f'<div class="tl-bar {kind}"><span class="tl-bar-label">{inline_html(bar.label)}</span>'
            f'<span class="tl-bar-track"><i style="width:{100 * bar.size / most:.2f}%"></i></span>'
            f'<span class="tl-bar-value">{bar.shown}</span></div>'
        )
    return "".join(out) + "</figure>"


def with_charts(text: str) -> str:
    """The page's Markdown with a chart below each table that has sizes to compare."""
    out: list[str] = []
    table: list[str] = []
    for line, fenced in [*lines_of(text), ("", False)]:
        if not fenced and line.startswith("|"):
            table.append(line)
        elif table:
            chart = _chart(table)
            out += ["", chart, ""] if chart else []
            table = []
        out.append(line)
    return "\n".join(out)
