"""The logits are in memory during the backward because a variable names them."""

from truthkit import PeakHigher, drive

CLAIM = PeakHigher(mb=1)
SETTING = "an embedding and a linear layer, 50,000 classes; 128 tokens on the CPU, 4,096 on the GPU"


@drive("train")
def train(block, kit):
    import torch
    from torch import nn

    classes, tokens = 50_000, 4_096 if kit.gpu else 128
    model = nn.Sequential(nn.Embedding(1_000, 64), nn.Linear(64, classes)).to(kit.device)
    loader = kit.loader(make=lambda: (torch.randint(1_000, (tokens,), device=kit.device),
                                      torch.randint(classes, (tokens,), device=kit.device)))
    block.train(model, loader, torch.optim.SGD(model.parameters(), lr=0.01))
