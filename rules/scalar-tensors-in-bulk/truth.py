"""A tensor of one number is nearly all overhead."""

from truthkit import Grows, drive

CLAIM = Grows(kb=100, good_kb=20)


@drive("Ratings")
def ratings(block, kit):
    rows = [{"rating": str(i)} for i in range(1000)]
    kept = []
    for _ in kit.steps():
        kept.append(block.Ratings(rows))
