"""A hook that appends what it sees keeps it, graph and all; a number or a single slot does not grow."""

from truthkit import Grows, RunsOnly, drive

CLAIM = Grows(kb=100, good_on="device")


def _train_steps(kit):
    import torch.nn.functional as F

    for _ in kit.steps():
        kit.optimizer.zero_grad()
        F.cross_entropy(kit.model(kit.images()), kit.labels()).backward()
        kit.optimizer.step()


@drive("watch")
def watch(block, kit):
    handle = block.watch(kit.layer)
    _train_steps(kit)
    handle.remove()


@drive("Features", has="model.named_children", claim=RunsOnly("a single slot does not grow"))
def slots(block, kit):
    features = block.Features(kit.model)
    _train_steps(kit)
    features.close()


@drive()
def owner(block, kit):
    made = getattr(block, block.names[-1])(kit.layer)
    _train_steps(kit)
    made.close()
