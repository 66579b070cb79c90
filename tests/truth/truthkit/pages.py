"""The Python blocks of a rule's page."""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RULES = ROOT / "rules"
MYTHS = ROOT / "tests" / "truth" / "myths"


def _shape(node: object) -> str:
    """ast.dump() differs from one Python to the next, and figures come from machines with several: empty fields are left out."""
    if isinstance(node, list):
        return "[" + ",".join(map(_shape, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [f"{name}={_shape(value)}" for name, value in ast.iter_fields(node) if value not in (None, []) or name == "value"]
    return f"{type(node).__name__}({','.join(fields)})"


def fingerprint(text: str) -> str:
    """The same for code that differs in comments and layout only: a figure belongs to what was run."""
    try:
        text = _shape(ast.parse(text))
    except SyntaxError:
        pass
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def defined_names(text: str) -> list[str]:
    """Functions and classes at the top level, in order."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node.name for node in body if isinstance(node, kinds)]


@dataclass
class Block:
    """One block: `side` is bad, good or fixed (a bad one after its fix), `number` counts from 1 within its section."""

    rule: str
    side: str
    number: int
    text: str
    caption: str = ""
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = defined_names(self.text)

    @property
    def name(self) -> str:
        return f"{self.side}{self.number}"


def _caption(lines: list[str]) -> str:
    """The first sentence of the paragraph above a block."""
    paragraph: list[str] = []
    for line in reversed(lines):
        if not line.strip() and not paragraph:
            continue
        if not line.strip() or line.startswith(("#", "```", "|")):
            break
        paragraph.insert(0, line.strip())
    text = " ".join(paragraph)
    sentence = re.split(r"(?<=[.:;])\s", text)[0] if text else ""
    return sentence.rstrip(".:;")


def blocks(rule: str, page: str) -> list[Block]:
    found: list[Block] = []
    side, code, above = "", None, []
    counts = {"bad": 0, "good": 0}
    for line in page.splitlines():
        if code is not None:
            if line.startswith("```"):
                counts[side] += 1
                found.append(Block(rule, side, counts[side], "\n".join(code) + "\n", _caption(above)))
                code, above = None, []
            else:
                code.append(line)
        elif line.startswith("## "):
            side, above = line[3:].strip().lower(), []
        elif line.startswith("```python") and side in counts:
            code = []
        else:
            above.append(line)
    return found


def page_of(rule: str) -> str:
    return (RULES / rule / "rule.md").read_text(encoding="utf-8")


def all_rules() -> list[str]:
    return sorted(path.parent.name for path in RULES.glob("*/rule.md"))


def all_myths() -> list[str]:
    return sorted(f"myths/{path.stem}" for path in MYTHS.glob("*.py"))


def code_of(rule: str) -> str:
    """TLK101, from the title of the page."""
    match = re.match(r"# \S+ \((TLK\d+)\)", page_of(rule))
    return match.group(1) if match else ""
