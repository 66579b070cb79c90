"""Figures as text: cells, rows, the table of a page and its Cost line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional

from truthkit.claims import Grows, Notes, size
from truthkit.figures import Figures
from truthkit.plan import Job, Plan, PlanError

HEADER = "| measured | CPU | GPU |"
MODELS = {
    "cpu": "a net of four convolutions, batches of 32 × 3×16×16",
    "cuda": "ResNet-50, batches of 64 × 3×224×224, float32",
}
NOTHING = "–"  # not measured there
ALLOWED_HOST = 6e3  # that a good block may grow by
NO_GROWTH = {"growth_device": 256, "growth_host": 2500}  # what Python's own objects take


@dataclass
class Row:
    label: str
    job: Job
    metric: str


def milliseconds(value: float) -> str:
    return f"{value:.0f} ms" if value >= 20 else f"{value:.1f} ms" if value >= 1 else f"{1e3 * value:.0f} µs"


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2g}"


def grown(run: dict[str, Any], key: str, side: str = "bad") -> str:
    value = run.get(key, 0)
    least = NO_GROWTH[key] if side == "bad" or key == "growth_device" else ALLOWED_HOST
    return "none" if value < least else size(value)


def _growth(run: dict[str, Any], claims: list[Any], side: str) -> str:
    grows = [claim for claim in claims if isinstance(claim, Grows)]
    device_only = any(claim.on == "device" for claim in grows)
    if "growth_device" not in run:
        moved = any(claim.good_on == "device" for claim in grows)  # to the host, which this is
        moved = moved and side != "bad" and run.get("growth_host", 0) >= ALLOWED_HOST
        return NOTHING if device_only or moved else grown(run, "growth_host", side)
    if any(claim.on == "host" for claim in grows):
        return grown(run, "growth_host", side)
    device, host = grown(run, "growth_device"), grown(run, "growth_host", side)
    if host == "none" or device_only or run["growth_host"] < run["growth_device"] / 10:
        return device
    return f"{host} on the host" if device == "none" else f"{device}, and {host} on the host"


def value_of(run: Optional[dict[str, Any]], row: Row) -> str:
    """A figure without the words around it; NOTHING where there is none."""
    if run is None:
        return NOTHING
    if row.metric == "growth":
        return _growth(run, row.job.claims, row.job.side)
    if row.metric == "peak":
        return size(run["peak"])
    if row.metric == "ms":
        return milliseconds(run["ms"]) if "ms" in run else NOTHING
    if row.metric in ("growth_host", "growth_device"):
        return grown(run, row.metric) if row.metric in run else NOTHING
    if row.metric == "raised":
        return f"`{run['raised'].split(':')[0]}`" if "raised" in run else "nothing raised"
    if row.metric not in run.get("notes", {}):
        return NOTHING
    if run["device"] == "cpu" and any(isinstance(c, Notes) and c.name == row.metric and c.gpu_only for c in row.job.claims):
        return NOTHING
    claim = next((c for c in row.job.claims if isinstance(c, Notes) and c.name == row.metric), None)
    if claim and claim.yes_or_no and run["notes"][row.metric] in (0, 1):
        return "yes" if run["notes"][row.metric] else "no"
    unit = claim.unit if claim else ""
    return number(run["notes"][row.metric]) + (f" {unit.strip()}" if unit else "")


def _cell(run: Optional[dict[str, Any]], row: Row) -> str:
    text = value_of(run, row)
    plain = text in (NOTHING, "none", "nothing raised")
    if row.metric in ("growth", "ms", "growth_host", "growth_device") and not plain:
        text += " a step"
    return "peak " + text if row.metric == "peak" and not plain and "peak" not in row.label else text


def rows(plan: Plan) -> list[Row]:
    jobs = {job.name: job for job in plan.jobs}
    found: list[Row] = []
    if stated := plan.get("ROWS"):
        for label, name, *metric in stated:
            if name not in jobs:
                raise PlanError(f"rules/{plan.rule}/truth.py: ROWS names {name}, which is no run")
            job = jobs[name]
            found.append(Row(label, job, metric[0] if metric else _metric(job, jobs)))
        return found
    bad = [job for job in plan.jobs if job.block and job.side == "bad"]
    shown = [job for job in bad if job.claims[0].metric]
    for job in list(shown):
        other = jobs.get(job.against)
        if other and other not in shown:
            shown.append(other)
    for job in shown:
        caption = job.block.caption if job.block else ""
        label = f"{'bad' if job.side == 'bad' else 'good'}: {caption}" if caption else f"the {job.side} block"
        found.append(Row(label, job, _metric(job, jobs)))
    return found


def _metric(job: Job, jobs: dict[str, Job]) -> str:
    """That of its claim; of a run that claims nothing, that of the bad one which is compared with it."""
    if job.claims and job.claims[0].metric:
        return job.claims[0].metric
    bad = [other for other in jobs.values() if other.against == job.name and other.claims]
    return (bad[0].claims[0].metric if bad else "") or "growth"


def setting(plan: Plan, figures: Figures, shown: list[Row]) -> str:
    """The line below the table: on what, with what, when."""
    parts = []
    for device, name in (("cpu", "CPU"), ("cuda", "GPU")):
        runs = [run for row in shown if (run := figures.of(row.job, device))]
        if not runs:
            continue
        machine = figures.machines[max(run["machine"] for run in runs)]
        model = plan.get("SETTING") or MODELS[device]
        model = model[device] if isinstance(model, dict) else model
        parts.append(f"{name}: {machine['device']}, PyTorch {machine['torch']}, {machine['date']}; {model}.")
    return " ".join(parts)


def table(plan: Plan, figures: Figures) -> list[str]:
    """The lines of the table and of its setting; none where nothing was measured."""
    shown = rows(plan)
    cells = [(row, [_cell(figures.of(row.job, device), row) for device in ("cpu", "cuda")]) for row in shown]
    cells = [(row, both) for row, both in cells if both != [NOTHING, NOTHING]]
    if not cells:
        return []
    lines = [HEADER, "|---|---|---|"]
    lines += [f"| {row.label} | {cpu} | {gpu} |" for row, (cpu, gpu) in cells]
    return [*lines, "", setting(plan, figures, [row for row, _ in cells])]


def cost(plan: Plan, figures: Figures) -> str:
    """The Cost line from its template; empty where the page keeps its own."""
    template = plan.get("COST", "")
    jobs = {job.name: job for job in plan.jobs}

    def fill(match: re.Match) -> str:
        name, _, metric = match.group(1).partition(".")
        if name not in jobs:
            raise PlanError(f"rules/{plan.rule}/truth.py: COST names {name}, which is no run")
        row = Row("", jobs[name], metric or _metric(jobs[name], jobs))
        for device in ("cuda", "cpu"):
            text = value_of(figures.of(jobs[name], device), row)
            if text != NOTHING:
                devices.add(device)
                return text
        devices.add(NOTHING)
        return ""

    devices: set[str] = set()
    filled = re.sub(r"\{([\w.]+)\}", fill, template)
    if NOTHING in devices:
        return ""
    return filled + (" (on a CPU)" if devices == {"cpu"} else "")
