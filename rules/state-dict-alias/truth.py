"""Are the weights of the best epoch those that the model has at the end?"""

from truthkit import Notes, drive

CLAIM = Notes("lost", bad=">= 1", good="<= 0")


@drive("fit")
def fit(block, kit):
    import torch

    net, best, values = kit.mlp(8, 8, 2), [], iter([1.0, 2.0, 3.0])

    @torch.no_grad()
    def train_one_epoch(model):
        for p in model.parameters():
            p.add_(1.0)

    def evaluate(model):
        if not best:
            best.extend(p.detach().clone() for p in model.parameters())
        return next(values)

    block.fit(net, 3, train_one_epoch, evaluate)
    kit.note("lost", int(any((a != b).any() for a, b in zip(best, net.parameters()))))
