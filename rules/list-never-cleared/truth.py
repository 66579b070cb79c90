"""What one epoch collects is still there in the next."""

from truthkit import Grows, drive

COST = "{bad1.growth} an epoch of four batches, the size of what is kept; {bad2.growth} a step with its graph"
ROWS = [
    ("outputs on the host, an epoch of four batches", "bad1"),
    ("the same, cleared when they have been read", "good1"),
    ("log-probabilities with their graph, a step", "bad2"),
]
CLAIM = Grows(kb=4)


@drive("Evaluator")
def epochs(block, kit):
    class Epoch:
        def __iter__(self):
            kit.sample()
            for _ in range(4):
                yield kit.images(), kit.labels()

    block.run(kit.model, Epoch(), kit.turns)


@drive("Policy", claim=Grows(kb=1))
def policy(block, kit):
    loader = kit.loader(make=lambda: (kit.images(), kit.tensor(kit.batch)))
    block.train(kit.model, loader, kit.optimizer)
