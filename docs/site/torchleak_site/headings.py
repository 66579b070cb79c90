"""Anchors of headings that occur twice: GitHub numbers them with a hyphen, Python-Markdown with an underscore."""

from __future__ import annotations

from collections import Counter

from .markdown_text import heading_of, lines_of, slug


def with_anchors(text: str) -> str:
    """The page with GitHub's anchors where Python-Markdown would give others."""
    seen: Counter[str] = Counter()
    out = []
    for line, fenced in lines_of(text):
        heading = None if fenced else heading_of(line)
        if heading:
            anchor = slug(heading[1])
            if seen[anchor]:
                line = f"{line} {{ #{anchor}-{seen[anchor]} }}"
            seen[anchor] += 1
        out.append(line)
    return "\n".join(out)
