"""Without a clearing, the last gradient is the sum of all; with it, it is that of its own batch."""

from truthkit import Notes, drive, scenario

COST = "no memory: the gradient of the last step is {bad1} that of its batch after as many steps"
ROWS = [
    ("last gradient beside that of its batch, nothing cleared", "bad1"),
    ("cleared once, before the loop", "bad2"),
    ("cleared in each step", "good1"),
    ("share of the gradient that comes from the other player's loss", "bad5"),
    ("peak, cleared in each step", "good1", "peak"),
    ("peak, nothing cleared: gradients stay allocated in forward", "bad1", "peak"),
    ("peak, `zero_grad(set_to_none=False)`", "zeroed", "peak"),
]
CLAIM = Notes("gradient", bad=">= 5", good="<= 1.01", unit="×")


@drive("gan_step", claim=Notes("foreign", bad=">= 0.1", good="<= 0.001"))
def gan_step(block, kit):
    """How much of the gradient that the discriminator steps on comes from the generator's loss."""
    import torch
    import torch.nn.functional as F

    ones, zeros = kit.tensor(8, 1).fill_(1), kit.tensor(8, 1).fill_(0)
    gen = kit.mlp(16, 32, 64)
    disc = torch.nn.Sequential(kit.mlp(64, 32, 1), torch.nn.Sigmoid()).to(kit.device)
    g_opt, d_opt = (torch.optim.SGD(net.parameters(), lr=0.0) for net in (gen, disc))
    real, z = kit.tensor(8, 64), kit.tensor(8, 16)
    own = torch.autograd.grad(F.binary_cross_entropy(disc(real), ones), list(disc.parameters()))
    off = []
    d_opt.register_step_pre_hook(
        lambda *_: off.append(max(float((p.grad - g).norm() / g.norm()) for p, g in zip(disc.parameters(), own)))
    )
    for name in block.names:
        for _ in kit.steps():
            getattr(block, name)(gen, disc, z, real, ones, zeros, g_opt, d_opt)
    kit.note("foreign", max(off))


@drive("Trainer")
def trainer(block, kit):
    kit.watch_gradients()
    kit.call(block.Trainer(kit.model).fit)


@drive(has="encoder, decoder")
def two_networks(block, kit):
    kit.watch_gradients()
    encoder, decoder = kit.mlp(64, 32, 16), kit.mlp(16, 32, 64)
    kit.call(block.train, encoder=encoder, decoder=decoder, loader=kit.loader(make=lambda: kit.tensor(8, 64)))


@drive("train", has="accumulate=8")
def accumulation(block, kit):
    kit.watch_gradients()
    kit.call(block.train, loader=kit.loader(turns=24))


@drive("train")
def train(block, kit):
    kit.watch_gradients()
    kit.call(block.train, **(dict(epochs=1) if "epochs" in block.text else {}))


@scenario(side="good")
def zeroed(kit):
    import torch.nn.functional as F

    for images, labels in kit.loader():
        kit.optimizer.zero_grad(set_to_none=False)
        F.cross_entropy(kit.model(images), labels).backward()
        kit.optimizer.step()
