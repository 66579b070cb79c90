"""Bytes on the device beside the model's own weights, in sizes of these weights."""

from truthkit import Notes, drive

COST = "a second copy of all weights on the device, **{bad1.copies}** their size, and of the optimizer's state"
ROWS = [
    ("`torch.load(path)`, in use while the model is trained", "bad1"),
    ("`torch.load(path)`, dropped at once: at the peak", "bad2"),
    ("`copy.deepcopy(model.state_dict())`", "bad3"),
    ('`map_location="cpu"`', "good1"),
    ("copies on the host", "good2"),
]
SETTING = "the weights of ResNet-50"
CLAIM = Notes("copies", bad=">= 0.9", good="<= 0.1", unit="×", gpu_only=True)


def allocated(kit):
    import torch

    return torch.cuda.memory_allocated() if kit.gpu else 0


def note(kit, model, more):
    size = sum(t.numel() * t.element_size() for t in model.state_dict().values())
    kit.note("copies", more / size)


def saved(model, kit, **more):
    import torch

    path = kit.folder / "checkpoint.pt"
    torch.save({"model": model.state_dict(), **more} if more else model.state_dict(), path)
    return path


@drive("resume")
def resume(block, kit):
    model = kit.model
    path = saved(model, kit, epoch=1)
    before = allocated(kit)
    noted = []

    def batches():
        for batch in kit.loader():
            if not noted:  # before the first forward
                batch_bytes = sum(t.numel() * t.element_size() for t in batch)
                noted.append(allocated(kit) - before - batch_bytes if kit.gpu else 0)
                note(kit, model, noted[0])
            yield batch

    kit.call(block.resume, model=model, path=path, loader=batches())


@drive("restore")
def restore(block, kit):
    import torch

    model = kit.model
    path = saved(model, kit)
    if kit.gpu:
        torch.cuda.reset_peak_memory_stats()
    before = allocated(kit)
    kit.call(block.restore, model=model, path=path)
    note(kit, model, torch.cuda.max_memory_allocated() - before if kit.gpu else 0)


@drive("fit")
def fit(block, kit):
    model = kit.model
    before = allocated(kit)
    scores = iter((0.5, 0.4, 0.3))
    kit.call(
        block.fit,
        model=model,
        epochs=3,
        train=lambda module: note(kit, module, allocated(kit) - before),
        score=lambda module: next(scores),
    )
