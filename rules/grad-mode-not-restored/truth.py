"""The second epoch has no gradients."""

from truthkit import Raises, drive

CLAIM = Raises("RuntimeError", match="does not require grad")


@drive("train")
def train(block, kit):
    kit.call(block.train, loader=kit.loader(1), held_out=kit.loader(1), epochs=2)
