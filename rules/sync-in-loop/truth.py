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
COST = "each number that is copied waits for all work that is queued: **{bad1.copies}** for the scores of a batch"
ROWS = [
    ("each score of a batch", "bad1"),
    ("the same, outside of steps", "bad2"),
    ("the norm of each gradient", "bad3"),
    ("the loss, for a log line that nobody may want", "bad4"),
    ("all scores at once: no `.item()`", "good1"),
    ("one norm and the loss", "good2"),
]


@drive("confidences", has="(model, images)")
def confidences_of(block, kit):
    _count(kit, lambda: [kit.call(block.confidences) for _ in kit.steps()])


@drive("confidences")
def confidences(block, kit):
    _count(kit, lambda: kit.call(block.confidences))


@drive("train", has="log.debug", claim=Notes("copies", bad=">= 1", good="<= 2", unit="a step"))
def debug(block, kit):
    _count(kit, lambda: kit.call(block.train))


@drive("train")
def train(block, kit):
    _count(kit, lambda: kit.call(block.train))
