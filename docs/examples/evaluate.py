import torch.nn.functional as F


def evaluate(model, loader):
    model.eval()
    total = 0.0
    for images, labels in loader:
        logits = model(images)
        total += F.cross_entropy(logits, labels)
    return total / len(loader)
