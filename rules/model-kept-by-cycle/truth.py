"""Objects that are dropped before the garbage collector runs."""

from truthkit import Grows, drive

CLAIM = Grows(kb=500)


@drive("Solver", "Layer")
def objects(block, kit):
    import gc

    gc.disable()
    for _ in kit.steps():
        block.Solver(kit.tensor(256, 1024), lambda x: x)
        block.Layer(256)
