"""The rules, each from its page and from what the analyzer says: a new rule needs nothing here."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .analyzer import Analyzer, Finding
from .markdown_text import code_blocks, plain, sections

_FACT = re.compile(r"^- \*\*(Severity|Cost)\*\*: +(.*)$")


class PageError(Exception):
    """A rule's page lacks what the site makes of it."""


@dataclass(frozen=True)
class Example:
    """A *Bad* block with a finding of the rule: the first one that has."""

    code: str
    finding: Finding


@dataclass(frozen=True)
class Rule:
    code: str
    name: str
    severity: str  # the usual one
    summary: str
    severities: str  # Markdown, one line: each with its condition
    cost: str  # Markdown, one line
    on_by_default: bool
    fixes: frozenset[str]  # of "safe" and "unsafe", as the *Bad* blocks have them
    example: Example

    @property
    def source(self) -> str:
        return f"rules/{self.name}/rule.md"

    @property
    def hundred(self) -> str:
        """TLK1 of TLK101: selects all rules of the group."""
        return self.code[:-2]


def facts_of(page: str) -> dict[str, str]:
    """The lines `- **Severity**: …` and `- **Cost**: …` between the title and the first section."""
    found = (_FACT.match(line) for line in sections(page)[1].lines)
    return {fact[1]: fact[2] for fact in found if fact}


def without_facts(above: str) -> str:
    return "\n".join(line for line in above.splitlines() if not _FACT.match(line))


def bad_blocks(page: str) -> list[str]:
    return [
        block
        for section in sections(page)
        if section.title == "Bad"
        for block in code_blocks(section.text, "python")
    ]


def load(analyzer: Analyzer, root: Path) -> list[Rule]:
    """All rules, in order of their codes. Two runs check the blocks of all pages at once.

    The binary has the pages too, but those of the day when it was built.
    """
    described = analyzer.rules()
    for rule in described:
        rule["page"] = (root / "rules" / rule["name"] / "rule.md").read_text(encoding="utf-8")
    blocks = {
        f"{rule['name']} {number}": block
        for rule in described
        for number, block in enumerate(bad_blocks(rule["page"]))
    }
    by_default = {f.code for found in analyzer.check(blocks).values() for f in found}
    findings = analyzer.check(blocks, "--select", "ALL")
    rules = []
    for rule in described:
        own = [
            Example(blocks[key], finding)
            for key, found in findings.items()
            for finding in found
            if finding.code == rule["code"] and key.split()[0] == rule["name"]
        ]
        if not own:
            raise PageError(f"rules/{rule['name']}/rule.md: no Bad block has a finding of the rule")
        facts = facts_of(rule["page"])
        for name in ("Severity", "Cost"):
            if name not in facts:
                raise PageError(
                    f"rules/{rule['name']}/rule.md: there is no line '- **{name}**: …' below the title; "
                    "the card and the table of rules show it"
                )
        rules.append(
            Rule(
                code=rule["code"],
                name=rule["name"],
                severity=rule["severity"],
                summary=rule["summary"],
                severities=facts["Severity"],
                cost=facts["Cost"],
                on_by_default=rule["code"] in by_default,
                fixes=frozenset(e.finding.fix for e in own if e.finding.fix),
                example=own[0],
            )
        )
    return rules


def in_groups(rules: Iterable[Rule]) -> list[Rule]:
    return [rule for _, group in groups(rules) for rule in group]


def groups(rules: Iterable[Rule]) -> list[tuple[str, list[Rule]]]:
    """Rules by the hundred of their codes. What is about files instead of training, TLK0, comes last."""
    found = [(key, list(group)) for key, group in itertools.groupby(rules, lambda r: r.hundred)]
    return sorted(found, key=lambda group: group[0].endswith("0"))


def description(rule: Rule) -> str:
    return f"{rule.code} {rule.name}: {plain(rule.summary)}. {plain(rule.cost)}."
