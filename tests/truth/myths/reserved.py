"""## `nvidia-smi` still shows the memory, so it leaks

*Often reported.* PyTorch keeps freed memory to hand it out again. `torch.cuda.memory_allocated()` says what tensors hold,
`memory_reserved()` what the process has; only the first can leak. On a GPU only.
"""

from truthkit import Notes, scenario

PLACE = 12
ROWS = [
    ("allocated with 1 GiB in use, in MB", "freed", "allocated"),
    ("allocated after `del`", "freed", "allocated_after"),
    ("reserved after `del`", "freed", "reserved_after"),
    ("reserved after `empty_cache()`", "freed", "reserved_emptied"),
]
CLAIMS = [
    Notes("allocated", good=">= 1024", gpu_only=True, unit="MB"),
    Notes("allocated_after", good="<= 64", gpu_only=True, unit="MB"),
    Notes("reserved_after", good=">= 1024", gpu_only=True, unit="MB"),
    Notes("reserved_emptied", good="<= 64", gpu_only=True, unit="MB"),
]


@scenario(claim=CLAIMS, side="good")
def freed(kit):
    import torch

    if not kit.gpu:
        return
    base, held = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    x = torch.empty(2**30, dtype=torch.uint8, device=kit.device)
    kit.note("allocated", (torch.cuda.memory_allocated() - base) / 1e6)
    del x
    kit.note("allocated_after", (torch.cuda.memory_allocated() - base) / 1e6)
    kit.note("reserved_after", (torch.cuda.memory_reserved() - held) / 1e6)
    torch.cuda.empty_cache()
    kit.note("reserved_emptied", max(0.0, (torch.cuda.memory_reserved() - held) / 1e6))
