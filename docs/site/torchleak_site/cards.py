"""HTML of the rules: the card on top of a rule's page, the table of all rules. Each piece is one line without
blanks between, since Markdown takes such a line as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .drawing import draw
from .markdown_text import inline_html
from .rules import Rule, groups

_FIXES = {
    frozenset({"safe", "unsafe"}): ("unsafe", "safe or unsafe"),
    frozenset({"safe"}): ("safe", "safe"),
    frozenset({"unsafe"}): ("unsafe", "unsafe"),
    frozenset[str](): ("none", "none"),
}


def _severity(severity: str) -> str:
    return f'<span class="tl-severity tl-{severity}">{severity}</span>'


def _severities(text: str) -> str:
    """`error; warning once …`: the first word of each part is a severity."""
    parts = (part.partition(" ") for part in text.split("; "))
    return " ".join(f"{_severity(word)} {inline_html(rest)}".strip() for word, _, rest in parts)


def rule_card(rule: Rule, fixes_page: str) -> str:
    kind, fix = _FIXES[rule.fixes]
    fix = f'<a href="{fixes_page}">{fix}</a>' if kind != "none" else fix
    rows = [
        ("Code", f"<code>{rule.code}</code>"),
        ("Name", f"<code>{rule.name}</code>"),
        ("Severity", _severities(rule.severities)),
        ("Default", "on" if rule.on_by_default else f"off; <code>--extend-select {rule.code}</code>"),
        ("Fix", fix),
        ("Cost", inline_html(rule.cost)),
    ]
    cells = "".join(
        f'<div class="tl-on-{term.lower()}"><dt>{term}</dt><dd>{value}</dd></div>' for term, value in rows
    )
    return f'<dl class="tl-card">{cells}</dl>'


def rule_drawing(rule: Rule) -> str:
    finding = rule.example.finding
    caption = f"{_severity(finding.severity)} {inline_html(finding.message)}"
    return (
        f'<figure class="tl-drawing"><figcaption>{caption}</figcaption>'
        f'<div class="tl-scroll" tabindex="0" role="region" aria-label="The path through the code">'
        f"{draw(rule)}</div></figure>"
    )


def _row(rule: Rule, address: str) -> str:
    kind, fix = _FIXES[rule.fixes]
    # Each severity once; the card says when it is which.
    words = "".join(_severity(word) for word in dict.fromkeys(p.split(" ")[0] for p in rule.severities.split("; ")))
    off = "" if rule.on_by_default else '<span class="tl-off">off by default</span>'
    return (
        f'<li><a href="{address}"><span class="tl-head"><code>{rule.code}</code> '
        f"<strong>{rule.name}</strong> {words}"
        f'<span class="tl-fix tl-fix-{kind}">fix: {fix}</span>{off}</span>'
        f'<span class="tl-summary">{inline_html(rule.summary)}</span>'
        f'<span class="tl-measured">{inline_html(rule.cost)}</span></a></li>'
    )


def rule_list(rules: list[Rule], address: Callable[[Rule], str]) -> str:
    return f'<ul class="tl-rules">{"".join(_row(rule, address(rule)) for rule in rules)}</ul>'


def overview(rules: list[Rule], titles: Mapping[str, str], intro: str) -> str:
    """The Markdown of rules/index.md. The addresses are relative to /rules/."""
    parts = ["# Rules", "", intro.strip(), ""]
    for hundred, group in groups(rules):
        title = titles.get(hundred)
        parts += [f"## {hundred}: {title}" if title else f"## {hundred}", ""]
        parts += [rule_list(group, lambda rule: f"{rule.name}/"), ""]
    return "\n".join(parts)
