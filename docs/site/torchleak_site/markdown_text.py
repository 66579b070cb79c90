"""The few things that are read from Markdown without rendering it. Fenced blocks are never taken for text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*([\w-]*)")
_HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: +#+)?$")
LEAST_SAID = 20  # characters; `Decisions:` describes no page
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass
class Section:
    """A heading, and what stands below it up to the next one of any level."""

    level: int
    title: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def lines_of(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a fenced block."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if not fence and found:
            fence = found[1]
            yield line, True
        elif fence:
            yield line, True
            if found and found[1].startswith(fence) and not found[2]:
                fence = ""
        else:
            yield line, False


def heading_of(line: str) -> tuple[int, str] | None:
    found = _HEADING.match(line)
    return (len(found[1]), found[2]) if found else None


def sections(text: str) -> list[Section]:
    """In order. The first has level 0: what stands above every heading."""
    out = [Section(0, "")]
    for line, fenced in lines_of(text):
        heading = None if fenced else heading_of(line)
        if heading:
            out.append(Section(*heading))
        else:
            out[-1].lines.append(line)
    return out


def code_blocks(text: str, language: str) -> list[str]:
    """The content of the fenced blocks in that language."""
    blocks: list[list[str]] = []
    opened = False  # the line before belongs to the same block
    for line, fenced in lines_of(text):
        if not fenced:
            opened = False
        elif not opened:
            opened = True
            blocks.append([line])
        elif line.strip() == _fence_of(blocks[-1][0]):
            opened = False
        else:
            blocks[-1].append(line)
    return [
        "".join(f"{line}\n" for line in block[1:])
        for block in blocks
        if block[0].strip().removeprefix(_fence_of(block[0])).strip() == language
    ]


def _fence_of(line: str) -> str:
    found = _FENCE.match(line)
    return found[1] if found else ""


def slug(title: str) -> str:
    """The anchor that GitHub gives a heading. Python-Markdown is told to give the same (mkdocs.yml)."""
    plain = _LINK.sub(r"\1", title).replace("`", "").replace("*", "").lower().strip()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def first_paragraph(text: str) -> str:
    """The first paragraph, or item of a list, that says something: as plain text, in one line."""
    blocks: list[list[str]] = [[]]
    for line, fenced in lines_of(text):
        starts = line.startswith("- ")
        if fenced or not line.strip() or starts or line.startswith(("#", "|", "!", "<", ">")):
            blocks.append([line[2:]] if starts and not fenced else [])
        else:
            blocks[-1].append(line.strip())
    told = (plain(" ".join(block)) for block in blocks)
    return next((words for words in told if len(words) >= LEAST_SAID), "")


def plain(text: str) -> str:
    words = _LINK.sub(r"\1", text).replace("`", "").replace("**", "").replace("*", "")
    return re.sub(r"\s+", " ", words).strip()


def inline_html(text: str) -> str:
    """Code spans and bold, the two forms that messages and cells of tables have."""
    out = html.escape(_LINK.sub(r"\1", text), quote=False)
    out = re.sub(r"`([^`]+)`", r"<code>\1</code>", out)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", out)
