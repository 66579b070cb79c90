"""An entry for each new key; on a method, the object itself for each entry."""

from truthkit import Grows, drive

CLAIM = Grows(kb=100)


@drive("Encoder")
def encoder(block, kit):
    for _ in kit.steps(8):  # as many as the cache takes
        block.Encoder(256).to(kit.device)(kit.tensor(4, 256), 8, 8)


@drive("mask", "table")
def tables(block, kit):
    for i in kit.steps():
        block.mask(200 + i)
        block.table(200 + i, 64)
