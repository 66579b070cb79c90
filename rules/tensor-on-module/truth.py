"""A list in forward keeps each activation; one slot keeps the last one while the next graph is built."""

from truthkit import Grows, RunsOnly, drive

CLAIM = Grows(kb=10, good_on="device")


@drive("Block", claim=RunsOnly("one slot does not grow"))
def slot(block, kit):
    kit.auto(block)


@drive("Padded")
def padded(block, kit):
    import torch

    kit.train(block.Padded(), kit.tensor(kit.batch, 32), torch.arange(kit.batch))


@drive("MixtureOfExperts")
def experts(block, kit):
    import torch

    model = block.MixtureOfExperts().to(kit.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    kit.call(
        block.train,
        model=model,
        optimizer=optimizer,
        loader=kit.loader(make=lambda: (kit.tensor(256, 64), kit.tensor(256, 64))),
    )
