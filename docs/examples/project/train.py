import torch.nn.functional as F

from utils import AverageMeter


def train(model, loader, optimizer):
    losses = AverageMeter()
    for images, labels in loader:
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss, len(labels))
    return losses.sum / losses.count
