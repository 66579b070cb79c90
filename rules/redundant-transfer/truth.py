"""Copies between host and device: there are none on a CPU."""

from truthkit import RunsOnly, drive

CLAIM = RunsOnly("on a CPU nothing is copied; on a GPU the copies hide behind a large model")


@drive("train")
def train(block, kit):
    import torch

    model = torch.nn.Sequential(kit.model, kit.mlp(kit.classes, 64, 10))  # the weights of the page are those of ten classes
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    batches = kit.loader(make=lambda: (kit.images(), kit.labels() % 10))
    kit.call(block.train, model=model, optimizer=optimizer, loader=batches)


@drive("Smoothed")
def smoothed(block, kit):
    block.Smoothed(kit.model)(kit.images())
