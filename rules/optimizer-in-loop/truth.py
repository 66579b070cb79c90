"""Each new optimizer begins without moments."""

from truthkit import Notes, RunsOnly, drive

CLAIM = Notes("optimizers", bad=">= 5", good="<= 1")


def _counted(kit, run):
    import torch

    made, init = [], torch.optim.Optimizer.__init__

    def counted(self, *args, **options):
        made.append(1)
        kit.note("optimizers", len(made))
        init(self, *args, **options)

    torch.optim.Optimizer.__init__ = counted
    run()


@drive("train", has="epochs")
def epochs(block, kit):
    _counted(kit, lambda: kit.call(block.train, epochs=5))


@drive("train")
def train(block, kit):
    _counted(kit, lambda: kit.call(block.train))


@drive("fit_latents", claim=RunsOnly("each image has an optimizer of its own, on purpose"))
def fit_latents(block, kit):
    import torch

    block.fit_latents(torch.nn.Linear(8, 4), [torch.zeros(1, 4) for _ in range(3)])
