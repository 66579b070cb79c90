"""Emptying the cache costs time and wins no memory: the peak is the same."""

from truthkit import SlowerOnGpu

CLAIM = SlowerOnGpu(ratio=1.15)
COST = "{bad1.ms} a step instead of **{good1.ms}**; no memory is won"
ROWS = [
    ("a training step with `empty_cache()`", "bad1"),
    ("a training step without", "good1"),
    ("peak with `empty_cache()` in each step", "bad1", "peak"),
    ("peak without", "good1", "peak"),
]
