"""Does the caller's tensor require grad afterwards?"""

from truthkit import Notes, drive

CLAIM = Notes("flag", bad=">= 1", good="<= 0")


@drive("penalty")
def penalty(block, kit):
    x = kit.tensor(8, 64)
    block.penalty(kit.mlp(64, 32, 1), x)
    kit.note("flag", int(x.requires_grad))


@drive("train")
def train(block, kit):
    given = []

    def batch():
        given.append(kit.images())
        return given[-1], kit.labels()

    kit.call(block.train, loader=kit.loader(make=batch))
    kit.note("flag", int(given[-1].requires_grad))


@drive("attack", claim=Notes("flag", bad=">= 1", good="<= 0"))
def attack(block, kit):
    import torch

    images = kit.images()
    block.attack(kit.model, images, kit.labels(), torch.nn.CrossEntropyLoss())
    kit.note("flag", int(images.requires_grad))
