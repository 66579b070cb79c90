"""What a page claims of its blocks, and whether a run bears it out.

A claim has two sides. Of a bad block it asks that it costs at least so much; of a good one, and of a bad one after its
fix, that it does not. `problem` gives a sentence where that does not hold.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Optional

Run = dict[str, Any]  # what worker.py measures: growth_device, growth_host, peak, ms, raised, notes

_OPERATORS = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def size(value: float) -> str:
    """5479020000 as `5,479 MB`: three digits, or all before the point."""
    if abs(value) < 1e3:
        return f"{value:.0f} B"
    unit, scale = ("kB", 1e3) if abs(value) < 1e6 else ("MB", 1e6)
    value /= scale
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    text = f"{value:,.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + " " + unit


class Claim:
    metric = "growth"
    alone = False  # measured while nothing else runs
    pairs = False  # a bad block is compared with a good one
    raises = False

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        raise NotImplementedError


@dataclass
class Grows(Claim):
    """Memory grows by at least so much a turn. on: `device`, `host`, or `any` of the two.

    On the CPU there is no device memory: a claim on="device" is asserted on a GPU only. What a good block may grow
    by is `good_kb`, by default a quarter, and 6 kB in any case: that much is Python's own. With good_on="device" it may
    grow on the host: `.cpu()` moves what is kept, and keeps it.
    """

    mb: float = 0.0
    kb: float = 0.0
    on: str = "any"
    good_kb: Optional[float] = None
    good_on: str = ""

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        on = self.on if side == "bad" else self.good_on or self.on
        if on == "device" and device == "cpu":
            return ""
        grown = {
            "device": run.get("growth_device", 0.0),
            "host": run.get("growth_host", 0.0),
            "any": max(run.get("growth_device", 0.0), run.get("growth_host", 0.0)),
        }[on]
        least = self.mb * 1e6 + self.kb * 1e3
        if side == "bad":
            return "" if grown >= least else f"grows by {size(grown)} a turn, at least {size(least)} are claimed"
        most = max(least / 4, 6e3) if self.good_kb is None else self.good_kb * 1e3
        return "" if grown <= most else f"grows by {size(grown)} a turn, no more than {size(most)} were allowed"


@dataclass
class PeakHigher(Claim):
    """The peak is at least `ratio` times that of the good block, and `mb` above it."""

    ratio: float = 1.0
    mb: float = 0.0
    metric = "peak"
    pairs = True

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        if side != "bad":
            return ""
        if other is None:
            return "there is no good block to compare the peak with"
        peak, low = run["peak"], other["peak"]
        if peak >= self.ratio * low and peak >= low + self.mb * 1e6:
            return ""
        return f"peak {size(peak)} against {size(low)}, claimed: {self.ratio} times and {self.mb} MB more"


@dataclass
class SameAs(Claim):
    """The metric (`peak`, `growth_host`, …) is that of the run `against`, to within this share."""

    metric: str = "peak"
    within: float = 0.1

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        if other is None:
            return "there is no run to compare with"
        here, there = run[self.metric], other[self.metric]
        if abs(here - there) <= self.within * max(here, there):
            return ""
        return f"{self.metric} {here:,.0f} against {there:,.0f}, claimed: the same to within {self.within:.0%}"


@dataclass
class SlowerOnGpu(Claim):
    """A turn takes at least `ratio` times as long as in the good block, on a GPU; nothing is asserted elsewhere."""

    ratio: float = 1.1
    metric = "ms"
    alone = True
    pairs = True

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        if side != "bad" or device == "cpu":
            return ""
        if other is None:
            return "there is no good block to compare the time with"
        if run["ms"] >= self.ratio * other["ms"]:
            return ""
        return f"{run['ms']:.2f} ms a turn against {other['ms']:.2f} ms, claimed: {self.ratio} times"


@dataclass
class Raises(Claim):
    """The bad block raises this exception (a name: `TypeError`), whose text has `match` in it."""

    kind: str
    match: str = ""
    metric = "raised"
    raises = True

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        if side != "bad":
            return ""  # what a good block raises is a failure in any case
        if self.kind not in run.get("raised_kinds", []):
            return f"raises {run.get('raised') or 'nothing'}, claimed: {self.kind}"
        return "" if self.match in run["raised"] else f"raises {run['raised']!r}, which has no {self.match!r} in it"


@dataclass
class Notes(Claim):
    """What the drive noted with `kit.note(name, value)`: Notes("workers", bad=">= 4", good="<= 2").

    gpu_only: asserted on a GPU only. unit: what follows the value in tables.
    """

    name: str
    bad: str = ""
    good: str = ""
    gpu_only: bool = False
    unit: str = ""

    @property
    def metric(self) -> str:  # type: ignore[override]
        return self.name

    @property
    def yes_or_no(self) -> bool:
        """It is either so or not: nothing is counted."""
        return not self.unit and {self.bad.partition(" ")[2], self.good.partition(" ")[2]} == {"0", "1"}

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        wanted = self.bad if side == "bad" else self.good
        if not wanted or (self.gpu_only and device == "cpu"):
            return ""
        if self.name not in run.get("notes", {}):
            return f"the drive did not note {self.name!r}"
        sign, _, limit = wanted.partition(" ")
        value = run["notes"][self.name]
        return "" if _OPERATORS[sign](value, float(limit)) else f"{self.name} is {value:g}, claimed: {wanted}"


def Differs(name: str, by: float, good: float = 1e-3, unit: str = "") -> Notes:  # noqa: N802 (reads as a claim)
    """A note that is at least `by` in a bad block, and next to nothing in a good one."""
    return Notes(name, bad=f">= {by}", good=f"<= {good}", unit=unit)


@dataclass
class RunsOnly(Claim):
    """The block runs, and nothing is claimed of it. Say why."""

    why: str
    metric = ""

    def problem(self, side: str, run: Run, other: Optional[Run], device: str) -> str:
        return ""


def as_list(claim: Any) -> list[Claim]:
    return list(claim) if isinstance(claim, (list, tuple)) else [claim]
