"""Copies between host and device in a step, as the profiler sees them; there are none on a CPU."""

from truthkit import Notes, drive

CLAIM = Notes("copies", bad=">= 1", good="<= 0.5", gpu_only=True, unit="a step")
COST = "copies between host and device that need not be: **{bad1.copies}**, {bad2.copies} with a round trip"
ROWS = [
    ("weights of the loss that lie on the host", "bad1"),
    ("noise made on the host, and a round trip through numpy", "bad2"),
    ("weights that are made on the device", "good1"),
    ("all of it on the device", "good2"),
]


def count(kit, run):
    import torch

    if not kit.gpu:
        return run()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run()
        torch.cuda.synchronize()
    copies = sum(event.name.startswith(("Memcpy HtoD", "Memcpy DtoH")) for event in profile.events())
    kit.note("copies", round(copies / kit.turns, 1))


@drive("train")
def train(block, kit):
    import torch

    model = torch.nn.Sequential(kit.model, kit.mlp(kit.classes, 64, 10))  # the weights of the page are those of ten classes
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    batches = kit.loader(make=lambda: (kit.images(), kit.labels() % 10))
    count(kit, lambda: kit.call(block.train, model=model, optimizer=optimizer, loader=batches))


@drive("Smoothed")
def smoothed(block, kit):
    module, images = block.Smoothed(kit.model), kit.images()
    count(kit, lambda: [module(images) for _ in kit.steps()])
