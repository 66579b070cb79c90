"""## `gc.collect()` in each step

*Often advised* together with the one above. Tensors are freed when the last reference goes, not by the collector; it
finds only cycles, and what holds a leak is no cycle but a list. A call looks at every object of the process.
([TLK302](../rules/gc-in-loop/rule.md))
"""

from truthkit import Grows, SameAs, SlowerOnGpu, scenario

PLACE = 3
ROWS = [
    ("peak with `gc.collect()` in each step", "collected", "peak"),
    ("peak without", "left_alone", "peak"),
    ("time with it", "collected", "ms"),
    ("time without", "left_alone", "ms"),
    ("outputs of an evaluation with grad kept, and `gc.collect()`", "leak_collected", "growth"),
]


def _train(kit, after):
    import torch.nn.functional as F

    for images, labels in kit.loader():
        kit.optimizer.zero_grad()
        F.cross_entropy(kit.model(images), labels).backward()
        kit.optimizer.step()
        after()


@scenario(claim=[SlowerOnGpu(1.15), SameAs("peak", within=0.15)], against="left_alone")
def collected(kit):
    import gc

    gc.unfreeze()
    _train(kit, gc.collect)


@scenario(claim=SlowerOnGpu(), side="good")
def left_alone(kit):
    _train(kit, lambda: None)


@scenario(claim=Grows(mb=2))
def leak_collected(kit):
    import gc

    kept = []
    for images in kit.loader(1):
        kept.append(kit.model(images))
        gc.collect()
