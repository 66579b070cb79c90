"""An output on ctx makes a cycle; anything else there lives as long as the graph."""

from truthkit import Grows, drive

COST = "{bad1.growth} a call, the size of the output, until the garbage collector runs"
ROWS = [
    ("`ctx.y = y`, an output, collector off", "bad1"),
    ("`ctx.gate = gate`, an intermediate, the loss kept", "bad2"),
    ("`ctx.save_for_backward(y)`, collector off", "good1"),
]
SETTING = "a tensor of 1 MiB"
CLAIM = Grows(kb=900)


@drive("train")
def train(block, kit):
    import gc

    gc.disable()
    x = kit.tensor(512, 512).requires_grad_()

    class Optimizer:
        def zero_grad(self):
            kit.sample()
            x.grad = None

        def step(self):
            pass

    block.train(x, Optimizer(), kit.turns)
