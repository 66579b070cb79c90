"""The share of the gradient of a window that is left when the optimizer steps; all batches are equal."""

from truthkit import Notes, drive

CLAIM = Notes("share", bad="<= 0.3", good=">= 0.95")


@drive("train")
def train(block, kit):
    import torch

    net = kit.mlp(64, 32, 10)
    images, labels = kit.tensor(8, 64), torch.zeros(8, dtype=torch.long, device=kit.device)
    criterion = torch.nn.CrossEntropyLoss()
    whole = torch.autograd.grad(criterion(net(images), labels), list(net.parameters()))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    optimizer.register_step_pre_hook(
        lambda *_: kit.note("share", max(float(p.grad.norm() / g.norm()) for p, g in zip(net.parameters(), whole)))
    )
    loader = kit.loader(make=lambda: (images, labels))
    kit.call(block.train, model=net, optimizer=optimizer, criterion=criterion, loader=loader, k=4)
