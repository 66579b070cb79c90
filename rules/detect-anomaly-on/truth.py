"""Anomaly detection records a stack for each operation and looks for NaN in each gradient."""

from truthkit import SlowerOnGpu

CLAIM = SlowerOnGpu(ratio=1.4)
COST = "{bad1.ms} a step instead of **{good1.ms}**"
ROWS = [
    ("a training step with anomaly detection", "bad1"),
    ("a training step without", "good1"),
]
