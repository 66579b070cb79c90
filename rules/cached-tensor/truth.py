"""An entry for each new key; on a method, the object itself for each entry."""

from truthkit import Grows, drive

COST = "one tensor for each new key, for ever: {bad2.growth_host} a call; or a whole module, {bad1.growth_device} here, that is never freed"
ROWS = [
    ("`lru_cache` on a method: a module for each entry", "bad1"),
    ("a cache and a dict: masks of 200 × 200, tables of 200 × 64", "bad2"),
    ("`lru_cache` on a function, one slot on the object", "good1"),
]
SETTING = "a linear layer of 256"
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
