import torch.nn.functional as F


def train(model, loader, optimizer):
    losses, first = [], []
    for step, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())  # noqa: E501, TLK101
        if step < 10:
            # torchleak: ignore[TLK101] ten losses, for the plot of their graphs
            first.append(loss)
    return losses, first
