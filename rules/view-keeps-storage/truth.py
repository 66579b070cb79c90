"""A view keeps the storage of all that it is cut from."""

from truthkit import Grows, drive

COST = "{bad1.growth} for each kept part instead of {good1.growth}: the whole tensor behind it"
ROWS = [("`hidden[:, 0]`", "bad1"), ("`hidden[:, 0].clone()`", "good1")]
SETTING = "a tensor of 32 × 64 × 256"
CLAIM = Grows(mb=1)


@drive("embed")
def embed(block, kit):
    block.embed(lambda tokens: kit.tensor(32, 64, 256), kit.loader(1))
