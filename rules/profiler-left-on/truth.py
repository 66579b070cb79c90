"""How many steps a profiler records: all of them, or those of its schedule."""

from truthkit import Notes, RunsOnly, drive

COST = "the events of **{bad1.recorded}**, all of them, until the profiler ends, instead of {good1.recorded}"
CLAIM = Notes("recorded", bad=">= 8", good="<= 6", unit="steps")


@drive("train", has="_dump_snapshot", claim=RunsOnly("snapshots are of the device's allocator"))
def snapshots(block, kit):
    import os

    if kit.gpu:
        os.chdir(kit.folder)
        kit.call(block.train)


@drive("train")
def train(block, kit):
    import torch

    leave = torch.profiler.profile.__exit__

    def counted(self, *args):
        leave(self, *args)
        steps = sum(1 for event in self.events() if event.name.startswith("Optimizer.step"))
        kit.note("recorded", steps)

    torch.profiler.profile.__exit__ = counted
    kit.call(block.train)
