"""A group for each parameter: the optimizer goes through its steps once for each."""

from truthkit import Notes, drive

CLAIM = Notes("groups", bad=">= 8", good="<= 2")


@drive("make_optimizer")
def make_optimizer(block, kit):
    optimizer = block.make_optimizer(kit.new_model(), 0.001)
    kit.note("groups", len(optimizer.param_groups))
