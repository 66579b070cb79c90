import torch.nn.functional as F


def step(model, batch, optimizer):
    logits = model(batch["x"])
    loss = F.cross_entropy(logits, batch["y"])
    loss.backward()
    optimizer.step()
    return loss


def train(model, loader, optimizer):
    history = []
    for batch in loader:
        loss = step(model, batch, optimizer)
        history.append(loss)
    return history
