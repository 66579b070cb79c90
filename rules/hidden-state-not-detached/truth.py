"""A state that is carried on raises in training, and grows where nothing raises."""

from truthkit import Grows, Raises, drive, scenario

COST = "{bad2.growth} in each step of an evaluation, growing; in training an error in the second step"
ROWS = [
    ("carried through an evaluation with grad on", "bad2"),
    ("carried, `backward(retain_graph=True)`, weights as they are", "retained"),
    ("detached between the turns", "detached"),
]
SETTING = "an LSTM of 256, sequences of 16 by 32"
CLAIM = Raises("RuntimeError", match="second time")


def _parts(kit):
    from torch import nn

    rnn, head = nn.LSTM(256, 256).to(kit.device), nn.Linear(256, 10).to(kit.device)
    return rnn, head


@drive("train", has="rnn")
def train(block, kit):
    import torch

    rnn, head = _parts(kit)
    optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=1e-3)
    labels = torch.zeros(512, device=kit.device).long()
    chunks = kit.loader(make=lambda: (kit.tensor(16, 32, 256), labels))
    block.train(rnn, lambda out: head(out).flatten(0, 1), chunks, optimizer)


@drive("train", has="cell")
def within(block, kit):
    import torch
    from torch import nn

    cell, head = nn.GRUCell(256, 256).to(kit.device), nn.Linear(256, 10).to(kit.device)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=1e-3)
    chunks = kit.loader(make=lambda: (kit.tensor(4, 32, 256), torch.zeros(32, device=kit.device).long()))
    block.train(cell, head, chunks, optimizer)


@drive("follow", claim=Grows(mb=0.5))
def follow(block, kit):
    rnn, head = _parts(kit)
    block.follow(rnn, head, kit.loader(make=lambda: kit.tensor(16, 32, 256)))


@drive("Tagger")
def tagger(block, kit):
    kit.train(block.Tagger().to(kit.device), kit.tensor(16, 8, 64))


def _carry(kit, between):
    rnn, head = _parts(kit)
    state = None
    for _ in kit.steps():
        out, state = rnn(kit.tensor(16, 32, 256), state)
        head(out).mean().backward(retain_graph=True)
        state = between(state)


@scenario(claim=Grows(mb=0.5))
def retained(kit):
    _carry(kit, lambda state: state)


@scenario(claim=Grows(mb=0.5), side="good")
def detached(kit):
    _carry(kit, lambda state: tuple(s.detach() for s in state))
