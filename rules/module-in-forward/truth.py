"""A layer that forward() makes gives other outputs in each call."""

from truthkit import Differs, drive

CLAIM = Differs("difference", by=0.01)


@drive("Encoder")
def encoder(block, kit):
    net = block.Encoder()
    x = kit.tensor(2, 3, 8, 8).cpu()
    kit.note("difference", (net(x) - net(x)).abs().max().item())
