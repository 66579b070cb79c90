"""Gradients that are filled with zeros are there during the forward pass; dropped ones are not."""

from truthkit import Notes, drive

CLAIM = Notes("held", bad=">= 0.99", good="<= 0.01", unit="of the parameters' size")


@drive("train")
def train(block, kit):
    def look(model, inputs):
        parameters = list(model.parameters())
        held = sum(p.grad.numel() for p in parameters if p.grad is not None)
        kit.note("held", held / sum(p.numel() for p in parameters))

    kit.model.register_forward_pre_hook(look)
    kit.call(block.train)
