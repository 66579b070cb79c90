"""How many numbers are copied one by one: in each step, or all of them together."""

from truthkit import Notes, drive


def _count(kit, run):
    import torch

    item, calls = torch.Tensor.item, []

    def counted(self):
        calls.append(1)
        kit.note("copies", len(calls) / kit.turns)
        return item(self)

    torch.Tensor.item = counted
    kit.note("copies", 0)
    run()


CLAIM = Notes("copies", bad=">= 8", good="<= 2", unit="a step")


@drive("confidences")
def confidences(block, kit):
    _count(kit, lambda: kit.call(block.confidences))


@drive("train", has="log.debug", claim=Notes("copies", bad=">= 1", good="<= 2", unit="a step"))
def debug(block, kit):
    _count(kit, lambda: kit.call(block.train))


@drive("train")
def train(block, kit):
    _count(kit, lambda: kit.call(block.train))
