"""Blocks of code in the documentation."""

import re

from runner import CHECKOUT

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def blocks(page, language):
    """(heading, text) of each block; the heading is the last one before it, with a number if not the first."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    bare = FENCE.sub(lambda block: re.sub("#", ".", block[0]), text)  # comments in code are no headings
    seen = {}
    for block in FENCE.finditer(text):
        if block[1] != language:
            continue
        heading = [h[1] for h in HEADING.finditer(bare, 0, block.start())][-1]
        seen[heading] = seen.get(heading, 0) + 1
        yield heading + (f" {seen[heading]}" if seen[heading] > 1 else ""), block[2]
