"""Writes the figures into the pages and docs/measured.md, or says which of them differ."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from truthkit import summary
from truthkit.figures import Figures, load
from truthkit.pages import ROOT, RULES, all_myths, all_rules, page_of
from truthkit.plan import Plan, PlanError, plan
from truthkit.tables import HEADER, cost, table

COST = "- **Cost**: "


def with_figures(page: str, plan: Plan, figures: Figures) -> str:
    """The page with its Cost line, and with the table at the end of its second section."""
    lines = page.rstrip("\n").split("\n")
    if line := cost(plan, figures):
        lines = [COST + line if text.startswith(COST) else text for text in lines]
    heads = [i for i, text in enumerate(lines) if text.startswith("## ")]
    if len(heads) < 3:
        return page
    start, end = heads[1], heads[2]
    old = next((i for i in range(start, end) if lines[i] == HEADER), end)
    body = lines[start:old]
    while not body[-1].strip():
        body.pop()
    new = table(plan, figures)
    lines[start:end] = [*body, "", *new, ""] if new else [*body, ""]
    return "\n".join(lines) + "\n"


def _problems(found: Plan, figures: Figures) -> list[str]:
    """Figures that are missing, or are those of other code."""
    if found.skipped:
        return []
    stale = [job.name for job in found.jobs if figures.of(job, "cpu") is None]
    if not stale:
        return []
    return [f"{found.rule}: {', '.join(stale)}: not measured, or changed since (truth.py measure {found.rule})"]


_FIGURE = re.compile(r"\d[\d,.]*\s*(?:[kKMG]i?B|B|ms|s)\b(?! ×)|\d[\d,.]* (?:times|×)(?! \d)")


def by_hand(page: str, found: Plan) -> list[str]:
    """Lines of the card and of the second section with a figure that no run has given."""
    lines = page.split("\n")
    heads = [i for i, text in enumerate(lines) if text.startswith("## ")]
    if len(heads) < 3 or found.skipped:
        return []
    table = next((i for i in range(heads[1], heads[2]) if lines[i] == HEADER), heads[2])
    shown = lines[heads[1] : table]
    shown += [] if found.get("COST") else [text for text in lines if text.startswith(COST)]
    return [f"rules/{found.rule}/rule.md: {text.strip()[:110]}" for text in shown if _FIGURE.search(text)]


def wanted(figures: Figures) -> tuple[dict[Path, str], list[str], list[str]]:
    """All files that show figures, as they should be, and what is missing, and figures that were typed."""
    files: dict[Path, str] = {}
    problems: list[str] = []
    notes: list[str] = []
    plans: list[Plan] = []
    for rule in all_rules():
        try:
            found = plan(rule)
            problems += _problems(found, figures)
            notes += by_hand(page_of(rule), found)
            files[RULES / rule / "rule.md"] = with_figures(page_of(rule), found, figures)
            plans.append(found)
        except PlanError as error:
            problems.append(str(error))
    for myth in all_myths():
        found = plan(myth)
        problems += _problems(found, figures)
        plans.append(found)
    files.update(summary.files(plans, figures, files))
    return files, problems, notes


def render(check: bool) -> int:
    files, problems, notes = wanted(load())
    changed = 0
    for path, text in files.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        changed += 1
        name = str(path.relative_to(ROOT))
        if check:
            difference = list(difflib.unified_diff(old.splitlines(), text.splitlines(), name, "rendered", n=1, lineterm=""))
            problems.append("\n".join([f"{name} is not what the figures give (truth.py render)", *difference[:20]]))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"truth: {name} written")
    for note in notes:
        print(f"typed by hand: {note}")
    for problem in problems:
        print(f"FAILED {problem}")
    print(f"truth: {len(files)} files, {changed} {'differ' if check else 'written'}, {len(problems)} problems")
    return 1 if problems else 0
