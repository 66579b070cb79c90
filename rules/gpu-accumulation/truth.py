"""What is kept on the device takes its size there; on the host it takes none of the device."""

from truthkit import Grows, drive, scenario

COST = "the size of each kept tensor: {kept_output.growth_device} a batch of 1,024 × 256 outputs"
ROWS = [
    ("`out.detach()`, or `out` made under `no_grad`: 1,024 × 256 float32", "kept_output"),
    ("`out.detach().cpu()`", "kept_on_host"),
    ("a 0-d tensor: the smallest block", "kept_number"),
    ("predictions of 1,000 classes, batches of 64", "bad1"),
    ("the same, each moved to the host", "good1"),
]
CLAIM = Grows(kb=200, on="device", good_kb=20)


@drive("Extractor")
def extractor(block, kit):
    names = iter(range(10**6))
    kit.call(
        block.Extractor(kit.model).run,
        loader=kit.loader(make=lambda: (next(names), kit.images())),
    )


@drive("evaluate", claim=Grows(kb=0.5, on="device", good_kb=0))
def evaluate(block, kit):
    kit.call(block.evaluate)


@drive("smooth")
def smooth(block, kit):
    for _ in block.smooth(kit.model, kit.loader(1)):
        pass


def _kept(kit, keep):
    import torch

    model, kept = kit.mlp(1024, 1024, 256), []
    with torch.no_grad():
        for x in kit.loader(make=lambda: kit.tensor(1024, 1024)):
            kept.append(keep(model(x)))


@scenario(claim=Grows(mb=1, on="device"))
def kept_output(kit):
    _kept(kit, lambda out: out.detach())


@scenario(claim=Grows(mb=1, on="device"), side="good")
def kept_on_host(kit):
    _kept(kit, lambda out: out.detach().cpu())


@scenario(claim=Grows(kb=0.5, on="device", good_kb=0))
def kept_number(kit):
    _kept(kit, lambda out: out.logsumexp(1).mean())
