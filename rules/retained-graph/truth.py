"""What backward() would free stays until the last tensor of the graph is gone."""

from truthkit import Grows, PeakHigher, drive, scenario

COST = "**{bad3.growth_device}** a step with the loss kept; without, peak {bad1.peak} instead of {good1.peak}"
ROWS = [
    ("`loss.backward()`", "good1", "peak"),
    ("`loss.backward(retain_graph=True)`: old and new graph overlap", "bad1", "peak"),
    ("the same, and `losses.append(loss)`", "bad3", "growth"),
    ("an LSTM state carried on with its graph (a small model)", "carried_state", "growth"),
    ("the state detached", "good4", "growth"),
]
CLAIM = PeakHigher(ratio=1.05)


@drive("train", has="left, right", claim=PeakHigher(ratio=1.0))
def two_heads(block, kit):
    heads = [kit.mlp(kit.classes, 64, 10) for _ in range(2)]
    labels = kit.labels() % 10
    kit.call(
        block.train,
        left=heads[0],
        right=heads[1],
        loader=kit.loader(make=lambda: (kit.images(), labels, labels)),
    )


@drive("train", has="losses.append(loss)", claim=Grows(mb=1))
def kept(block, kit):
    kit.call(block.train)


@drive("train", has="rnn, head")
def carried(block, kit):
    import torch

    rnn, head = torch.nn.LSTM(64, 64).to(kit.device), kit.mlp(64, 64, 10, depth=1)
    optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.01)
    labels = torch.zeros(16 * 32, dtype=torch.long, device=kit.device)
    chunks = kit.loader(make=lambda: (kit.tensor(16, 32, 64), labels))
    kit.call(block.train, rnn=rnn, head=lambda out: head(out).flatten(0, 1), chunks=chunks, optimizer=optimizer)


@drive("Trainer")
def trainer(block, kit):
    import torch

    trainer = block.Trainer(kit.model, kit.optimizer)
    trainer.fit(kit.loader(make=lambda: (kit.images(), torch.zeros(kit.batch, kit.classes, device=kit.device))))


@scenario(claim=Grows(mb=0.5))
def carried_state(kit):
    """No optimizer steps: then PyTorch would raise, since the weights have changed."""
    import torch

    rnn, state = torch.nn.LSTM(64, 64).to(kit.device), None
    for _ in kit.steps():
        out, state = rnn(kit.tensor(16, 32, 64), state)
        out.sum().backward(retain_graph=True)
