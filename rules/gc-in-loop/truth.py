"""A collection visits every object of the process, whatever it frees."""

from truthkit import RunsOnly, SlowerOnGpu, drive

CLAIM = SlowerOnGpu(ratio=2)
COST = "{bad1.ms} a step instead of **{good1.ms}**; no memory is won"
ROWS = [
    ("a training step with `gc.collect()`", "bad1"),
    ("a training step, collected every 1,000 steps", "good1"),
]


@drive("to_half", claim=RunsOnly("it runs once, over the layers of a model"))
def to_half(block, kit):
    for _ in kit.steps():
        block.to_half(kit.new_model())
