"""docs/measured.md and its plots, and the rows of README.md: all figures at one glance."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Optional

from truthkit import plots
from truthkit.claims import Grows, size
from truthkit.figures import Figures
from truthkit.pages import ROOT, code_of
from truthkit.plan import Job, Plan
from truthkit.tables import ALLOWED_HOST, MODELS, NO_GROWTH, NOTHING, Row, rows, table, value_of

PAGE = ROOT / "docs" / "measured.md"
MYTHS = ROOT / "docs" / "what-does-not-leak.md"
IMAGES = ROOT / "docs" / "images"
BYTES = [(1e3, "1 kB"), (1e4, "10 kB"), (1e5, "100 kB"), (1e6, "1 MB"), (1e7, "10 MB"), (1e8, "100 MB"), (1e9, "1 GB"), (1e10, "10 GB")]
TIMES = [(0.1, "0.1 ms"), (1, "1 ms"), (10, "10 ms"), (100, "100 ms"), (1000, "1 s")]

INTRO = """# What it costs, measured

Every *Bad* and every *Good* block of the [rules](../rules/README.md) is run with real PyTorch, and so is every *Bad*
block after its fix: [how, and what is asserted](../tests/truth/README.md). These are the figures, one line a rule; each
page has all of its own. They are rendered from [`rules/measured.json`](../rules/measured.json), nothing is typed by hand.
What is often said to leak and does not is on [a page of its own](what-does-not-leak.md).

*Growth* is memory that one more turn of the loop keeps, on the device where there is one; *peak* is the most that was in
use; *time* is that of one turn. Where neither shows it, the line says what was counted.
"""


def _pair(plan: Plan, figures: Figures) -> Optional[tuple[Row, Row]]:
    """The first row of a page, and the one that it is compared with."""
    jobs = {job.name: job for job in plan.jobs}
    for row in rows(plan):
        other = jobs.get(row.job.against)
        if row.job.side == "bad" and other and any(figures.of(row.job, device) for device in MODELS):
            return row, Row(other.block.caption if other.block else other.name, other, row.metric)
    return None


def _words(row: Row, figures: Figures, device: str) -> str:
    return value_of(figures.of(row.job, device), row)


def _line(plan: Plan, bad: Row, good: Row, figures: Figures) -> str:
    metric = {"growth": "growth", "peak": "peak", "ms": "time", "raised": "raises"}.get(bad.metric, bad.metric)
    good = Row(good.label, Job(good.job.rule, good.job.name, "good", bad.job.claims, good.job.code), good.metric)
    cells = [f"{_words(bad, figures, device)} / {_words(good, figures, device)}" for device in ("cpu", "cuda")]
    cells = [NOTHING if cell == f"{NOTHING} / {NOTHING}" else cell for cell in cells]
    return f"| [{code_of(plan.rule)}](../rules/{plan.rule}/rule.md) {plan.rule} | {metric} | {cells[0]} | {cells[1]} |"


def _size(run: Optional[dict[str, Any]], metric: str, on_device: bool) -> Optional[float]:
    if run is None:
        return None
    if metric == "growth":
        device, host = run.get("growth_device", 0), 0 if on_device else run.get("growth_host", 0)
        return max(device if device >= NO_GROWTH["growth_device"] else 0, host if host >= ALLOWED_HOST else 0)
    return run.get(metric)


def _plot(name: str, title: str, metric: str, device: str, pairs: list, figures: Figures) -> tuple[Path, str]:
    data = []
    for plan, bad, good in pairs:
        on_device = any(isinstance(claim, Grows) and claim.on == "device" for claim in bad.job.claims)
        if bad.metric != metric or (on_device and device == "cpu"):
            continue
        values = [_size(figures.of(row.job, device), metric, on_device) for row in (bad, good)]
        texts = [_words(row, figures, device).partition(", and")[0] for row in (bad, good)]
        if values[0] and texts[1] != NOTHING:  # nothing is shown alone
            data.append(plots.Bar(plan.rule, values[0], texts[0], values[1] or 0.0, texts[1]))
    data.sort(key=lambda bar: (-bar.bad, bar.name))
    values = [value for bar in data for value in (bar.bad, bar.good) if value]
    ticks = TIMES if metric == "ms" else BYTES
    ticks = [tick for tick in ticks if min(values, default=0) / 10 <= tick[0] <= 10 * max(values, default=0)] or ticks
    return IMAGES / f"measured-{name}.svg", plots.bars(title, data, ticks[0][0] / 3, ticks) if data else ""


def _curves(name: str, title: str, device: str, pairs: list, figures: Figures) -> tuple[Path, str]:
    """The pairs that grow most, as memory over the steps."""
    panels = []
    for plan, bad, good in pairs:
        if device == "cpu" and any(isinstance(c, Grows) and "device" in (c.on, c.good_on) for c in bad.job.claims):
            continue  # there is no device to move things away from
        runs = [figures.of(row.job, device) for row in (bad, good)]
        series = [(run or {}).get("series", []) for run in runs]
        series = [[value - values[1] for value in values[1:]] for values in series]  # the first turn makes gradients and caches
        if bad.metric == "growth" and len(series[0]) > 2 and max(series[0]) > 2e4:
            top = max(series[0])
            panels.append(plots.Panel(plan.rule, series[0], series[1], top, size(top)))
    panels.sort(key=lambda panel: (-panel.top, panel.name))
    return IMAGES / f"measured-{name}.svg", plots.curves(title, panels[:12]) if panels else ""


def _readme(pages: dict[Path, str]) -> str:
    """README.md's table of rules says what the cards of the pages say."""

    def row(match: re.Match) -> str:
        page = pages.get(ROOT / match.group(2))
        if page is None:
            return match.group(0)
        facts = dict(re.findall(r"^- \*\*(Severity|Cost)\*\*: (.*)$", page, re.M))
        return f"| [{match.group(1)}]({match.group(2)}) {match.group(3)} | {facts['Severity']} | {facts['Cost']} |"

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"^\| \[(TLK\d+)\]\((rules/\S+?/rule\.md)\) (\S+) \|.*\|$", row, text, flags=re.M)


def _machines(figures: Figures) -> list[str]:
    lines = ["| | machine | PyTorch, Python | date | model, where nothing else is said |", "|---|---|---|---|---|"]
    for name, facts in sorted(figures.machines.items()):
        device = name.partition("-")[0]
        label = "GPU" if device == "cuda" else "CPU"
        versions = f"{facts['torch']}, {facts['python']}"
        lines.append(f"| {label} | {facts['device']} | {versions} | {facts['date']} | {MODELS[device]} |")
    return lines


MYTHS_INTRO = """# What does not leak

Much advice against growing memory changes nothing, or only the time that a step takes. These were measured, by programs in
[`tests/truth/myths`](../tests/truth/README.md) that assert what stands here; the figures come from the same file as
[all others](measured.md). Where nothing else is said, the model is that of this table.
"""


def _myths(plans: list[Plan], figures: Figures) -> str:
    """The text of a section is the docstring of its program."""
    parts = [MYTHS_INTRO.rstrip("\n"), "\n".join(_machines(figures))]
    for plan in sorted(plans, key=lambda plan: plan.get("PLACE", 99)):
        text = (plan.module.__doc__ or "").strip()
        lines = table(plan, figures)
        if lines and not plan.get("SETTING"):
            lines = lines[:-2]  # the introduction has it
        parts.append("\n".join([text, "", *lines]).rstrip())
    return "\n\n".join(parts) + "\n"


def files(plans: list[Plan], figures: Figures, pages: dict[Path, str]) -> dict[Path, str]:
    myths = [plan for plan in plans if plan.rule.startswith("myths/")]
    plans = [plan for plan in plans if plan not in myths]
    plans = sorted(plans, key=lambda plan: code_of(plan.rule))
    pairs = [(plan, *pair) for plan in plans if (pair := _pair(plan, figures))]
    plotted = [
        _curves("steps-gpu", "Memory from the first step on, on the GPU", "cuda", pairs, figures),
        _curves("steps-cpu", "Memory from the first step on, on the CPU", "cpu", pairs, figures),
        _plot("growth-gpu", "Growth a step on the GPU", "growth", "cuda", pairs, figures),
        _plot("growth-cpu", "Growth a step on the CPU", "growth", "cpu", pairs, figures),
        _plot("peak-gpu", "Peak on the GPU", "peak", "cuda", pairs, figures),
        _plot("peak-cpu", "Peak on the CPU", "peak", "cpu", pairs, figures),
        _plot("time-gpu", "Time of a step on the GPU", "ms", "cuda", pairs, figures),
    ]
    plotted = [(path, text) for path, text in plotted if text]
    lines = [INTRO.rstrip("\n"), "", *_machines(figures), ""]
    for path, text in plotted:
        title = re.search(r'aria-label="([^"]*)"', text)
        lines += [f"![{title.group(1) if title else path.stem}, bad and good block of each rule](images/{path.name})", ""]
    lines += ["## Every rule", "", "In each cell the bad block, then the good one (or the bad one after its fix).", ""]
    lines += ["| rule | measured | CPU | GPU |", "|---|---|---|---|"]
    lines += [_line(plan, bad, good, figures) for plan, bad, good in pairs]
    skipped = [plan for plan in plans if plan.skipped]
    if skipped:
        lines += ["", "## Not run", ""]
        lines += [f"- {code_of(plan.rule)} {plan.rule}: {plan.skipped}." for plan in skipped]
    return {PAGE: "\n".join(lines) + "\n", **dict(plotted), ROOT / "README.md": _readme(pages), MYTHS: _myths(myths, figures)}
