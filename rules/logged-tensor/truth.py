"""An entry with its graph keeps that graph for as long as it is kept."""

from truthkit import Grows, drive

COST = "{bad1.growth} a step for each that is collected"
ROWS = [("one entry with its graph", "bad1"), ("numbers", "good1")]
CLAIM = Grows(kb=2)


@drive("train")
def train(block, kit):
    kit.call(block.train, writer=None) if "writer" in block.text else kit.call(block.train)
