"""The optimizer steps, and no weight moves."""

from truthkit import Notes, drive

CLAIM = Notes("moved", bad="<= 0", good=">= 1")


@drive("train")
def train(block, kit):
    before = [p.detach().clone() for p in kit.model.parameters()]
    kit.call(block.train)
    kit.note("moved", int(any((a != b).any() for a, b in zip(before, kit.model.parameters()))))
