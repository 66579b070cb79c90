"""A tensor of one number is nearly all overhead."""

from truthkit import Grows, drive

COST = "{bad1.growth_host} for 1,000 numbers instead of **{good1.growth_host}**"
ROWS = [("1,000 tensors of one number", "bad1"), ("1,000 numbers in one tensor", "good1")]
CLAIM = Grows(kb=100, good_kb=20)


@drive("Ratings")
def ratings(block, kit):
    rows = [{"rating": str(i)} for i in range(1000)]
    kept = []
    for _ in kit.steps():
        kept.append(block.Ratings(rows))
