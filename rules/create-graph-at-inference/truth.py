"""Has the force a graph in eval mode?"""

from truthkit import Notes, drive

CLAIM = Notes("graph", bad=">= 1", good="<= 0")


@drive("validate")
def validate(block, kit):
    net = kit.mlp(3, 32, 1)
    seen = []
    forward = block.ForceField.forward

    def watched(self, pos):
        out = forward(self, pos)
        seen.append(int(out[1].requires_grad))
        return out

    block.ForceField.forward = watched
    kit.call(block.validate, net=net, loader=kit.loader(make=lambda: kit.tensor(8, 3)))
    kit.note("graph", max(seen))
