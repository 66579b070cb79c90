"""Has the model gradients after its evaluation?"""

from truthkit import Notes, drive

CLAIM = Notes("filled", bad=">= 1", good="<= 0")


@drive("validate")
def validate(block, kit):
    kit.call(block.validate)
    kit.note("filled", int(any(p.grad is not None for p in kit.model.parameters())))
