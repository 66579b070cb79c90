"""The discriminator's step fills the gradients of the generator, which nobody uses."""

from truthkit import Notes, drive

CLAIM = Notes("wasted", bad=">= 1", good="<= 0")


@drive("train")
def train(block, kit):
    """Notes whether the generator has gradients when the discriminator steps."""
    import torch

    gen, disc = kit.mlp(8, 256, 64), kit.mlp(64, 256, 1)
    g_opt, d_opt = (torch.optim.SGD(net.parameters(), lr=0.001) for net in (gen, disc))
    before = {}

    def at_step(*_):
        grads = [p.grad for p in gen.parameters() if p.grad is not None]
        filled = sum(float(g.norm()) for g in grads)
        kit.note("wasted", int(filled != before.get("filled", 0.0)))

    d_opt.register_step_pre_hook(at_step)
    g_opt.register_step_post_hook(
        lambda *_: before.update(filled=sum(float(p.grad.norm()) for p in gen.parameters()))
    )
    real = kit.tensor(16, 64)
    kit.call(block.train, gen=gen, disc=disc, loader=kit.loader(make=lambda: real), g_opt=g_opt, d_opt=d_opt)
