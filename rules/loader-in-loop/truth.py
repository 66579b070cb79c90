"""Workers are started again in every turn, instead of once."""

from truthkit import Notes, drive

CLAIM = Notes("workers", bad=">= 12", good="<= 2")
COST = "{bad1.workers} workers started in six epochs instead of **{good1.workers}**, and as often waited for"
SETTING = "six turns over 64 items, two workers"
TURNS = 6


def _count_starts(kit):
    from multiprocessing.process import BaseProcess

    start = BaseProcess.start
    started = []

    def counted(process):
        started.append(process)
        start(process)

    BaseProcess.start = counted

    def end():
        BaseProcess.start = start
        kit.note("workers", len(started))

    kit.at_end(end)


def _dataset():
    import torch

    return list(torch.randn(64, 8))


@drive("train", has="step(batch)")
def epochs(block, kit):
    _count_starts(kit)
    block.train(lambda batch: batch.sum(), _dataset(), TURNS)


@drive("train", has="model(batch)")
def steps(block, kit):
    import torch

    _count_starts(kit)
    block.train(torch.nn.Linear(8, 1), _dataset(), TURNS)
