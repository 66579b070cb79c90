"""## `pin_memory=True` leaks host memory

*Often suspected,* since the process looks larger. Pinned buffers are used again; the level is reached within a few batches and stays.
"""

from truthkit import Notes, scenario

PLACE = 13
ROWS = [
    ("growth of the process over 40 batches of 4 MB, `pin_memory=True`", "pinned", "grown"),
    ("the same, `pin_memory=False`", "plain", "grown"),
]
SETTING = "a data set of 40 batches of 4 MB that are made when they are asked for, two workers"
CLAIM = Notes("grown", good="<= 60", unit="MB")


def _load(kit, pin):
    import torch
    from torch.utils.data import DataLoader, Dataset
    from truthkit import memory

    class Made(Dataset):
        def __len__(self):
            return 60 * 16

        def __getitem__(self, i):
            return torch.zeros(65536) + i

    levels = []
    pin = pin and kit.gpu
    for batch in DataLoader(Made(), batch_size=16, num_workers=2, pin_memory=pin, multiprocessing_context="fork"):
        batch = batch.to(kit.device, non_blocking=True)
        levels.append(memory.status("VmRSS"))
    kit.note("grown", (levels[-1] - levels[20]) / 1e6)


@scenario(claim=CLAIM, side="good")
def pinned(kit):
    _load(kit, True)


@scenario(claim=CLAIM, side="good")
def plain(kit):
    _load(kit, False)
