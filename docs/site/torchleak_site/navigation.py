"""The navigation of mkdocs.yml, with patterns filled in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .rules import Rule, groups

RULES = "rules/*/rule.md"


def _rules(rules: list[Rule], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {titles.get(hundred, hundred): [{f"{r.code} {r.name}": r.source} for r in group]}
        for hundred, group in groups(rules)
    ]


def fill(nav: list[Any], root: Path, rules: list[Rule], titles: Mapping[str, str]) -> list[Any]:
    """Each pattern stands for the files that it matches; that of the rules' pages for their groups."""
    out: list[Any] = []
    for entry in nav:
        if isinstance(entry, dict):
            for title, value in entry.items():
                inner = fill(value, root, rules, titles) if isinstance(value, list) else value
                out.append({title: inner})
        elif entry == RULES:
            out += _rules(rules, titles)
        elif "*" in entry:
            paths = sorted(path.relative_to(root) for path in root.glob(entry))
            out += [{path.parent.name: path.as_posix()} for path in paths]
        else:
            out.append(entry)
    return out
