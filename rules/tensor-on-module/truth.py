"""A list in forward keeps each activation; one slot keeps the last one while the next graph is built."""

from truthkit import Grows, PeakHigher, RunsOnly, drive, scenario

COST = "{appended.growth} a step for a list in `forward` (activations of that size); one activation for a slot"
ROWS = [
    ("`self.kept.append(h)`", "appended"),
    ("`self.kept.append(h.detach())`, on the device", "appended_detached"),
    ("`self.mid = h`", "slot_kept"),
    ("nothing kept, locals not deleted", "nothing_kept"),
    ("evaluation with grad, `self.mid = h`", "slot_with_grad", "peak"),
    ("evaluation with grad, nothing kept", "local_with_grad", "peak"),
]
SETTING = {
    "cpu": "a perceptron of 256, 1,024 and 256, batches of 256",
    "cuda": "a perceptron of 1,024, 4,096 and 1,024, batches of 256, float32",
}
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


def _network(kit, keep, backward=True):
    import torch
    from torch import nn

    width = 1024 if kit.gpu else 256

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.kept = []

        def forward(self, x):
            h = torch.relu(self.first(x))
            keep(self, h)
            return self.second(h)

    kit.train(Net(), kit.tensor(256, width), backward=backward)


@scenario(claim=Grows(mb=1), against="nothing_kept")
def appended(kit):
    _network(kit, lambda net, h: net.kept.append(h))


@scenario(claim=Grows(mb=1), against="nothing_kept")
def appended_detached(kit):
    _network(kit, lambda net, h: net.kept.append(h.detach()))


@scenario(claim=Grows(mb=1), side="good")
def slot_kept(kit):
    _network(kit, lambda net, h: setattr(net, "mid", h))


@scenario(claim=Grows(mb=1), side="good")
def nothing_kept(kit):
    _network(kit, lambda net, h: None)


@scenario(claim=PeakHigher(mb=1), against="local_with_grad")
def slot_with_grad(kit):
    _network(kit, lambda net, h: setattr(net, "mid", h), backward=False)


@scenario(side="good")
def local_with_grad(kit):
    _network(kit, lambda net, h: None, backward=False)
