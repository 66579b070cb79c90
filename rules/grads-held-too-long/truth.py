"""Gradients that are cleared after the forward lie beside its activations."""

from truthkit import PeakHigher, drive

CLAIM = PeakHigher(mb=1)
SETTING = "five linear layers of 512 on the CPU, of 4,096 on the GPU, batches of the same number"


@drive("train")
def train(block, kit):
    import torch

    width = 4_096 if kit.gpu else 512
    model = kit.mlp(width, width, width, depth=4)
    loader = kit.loader(make=lambda: (torch.randn(width, width, device=kit.device),
                                      torch.randint(width, (width,), device=kit.device)))
    block.train(model, loader, torch.optim.SGD(model.parameters(), lr=0.01))
