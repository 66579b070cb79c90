"""The second loader is gone through more often than the first: each of its batches is kept."""

from truthkit import Grows, drive

COST = "every batch of the first pass, **{bad1.growth_device}** each here; and no more shuffling"
ROWS = [("`itertools.cycle(loader)`, the first pass", "bad1"), ("a new iterator for each pass", "good1")]
CLAIM = Grows(kb=500)


@drive("train")
def train(block, kit):
    class Endless:
        def __iter__(self):
            while True:
                yield kit.tensor(256, 1024).clone()

    block.train(kit.loader(), Endless(), lambda a, b: None)
