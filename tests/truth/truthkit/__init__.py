"""What a rule's truth.py imports. Nothing in here needs torch before a block is run."""

from truthkit import memory
from truthkit.claims import (
    Differs,
    Grows,
    Notes,
    PeakHigher,
    Raises,
    RunsOnly,
    SameAs,
    SlowerOnGpu,
)
from truthkit.plan import drive, scenario

__all__ = [
    "Differs",
    "Grows",
    "Notes",
    "PeakHigher",
    "Raises",
    "RunsOnly",
    "SameAs",
    "SlowerOnGpu",
    "drive",
    "memory",
    "scenario",
]
