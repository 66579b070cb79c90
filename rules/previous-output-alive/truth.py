"""Two graphs at once where one would do."""

from truthkit import PeakHigher

COST = "the activations of a second forward at the peak: {bad1.peak} instead of {good1.peak}"
ROWS = [("with the last result alive", "bad1", "peak"), ("without its graph", "good1", "peak")]
CLAIM = PeakHigher(mb=0.5)
