"""What autograd has noted on the parameters stays there, and makes itself heard in the next backward(); gloo, one process."""

from truthkit import Notes, drive, scenario

CLAIM = [
    Notes("warned", bad=">= 1", good="<= 0", unit="hooks"),
    Notes("kept", bad=">= 80", good="<= 40", unit="B a call"),
]
COST = "{bad1.kept} of host memory that stays; after 300 calls each `backward()` runs {bad1.warned}"
ROWS = [
    ("300 calls with grad: run in the next `backward()`", "bad1"),
    ("the same: host memory that stays", "bad1", "kept"),
    ("300 calls under `torch.no_grad()`", "good1"),
    ("the same: host memory that stays", "good1", "kept"),
]
SETTING = "gloo, one process, weights on the CPU"


def _meet(kit):
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{kit.folder}/meeting", rank=0, world_size=1)


@drive("average_weights")
def average_weights(block, kit):
    import warnings

    import torch.distributed as dist
    from truthkit import memory

    _meet(kit)
    net = kit.mlp(8, 8, 2).cpu()
    other = kit.tensor(1).cpu()
    for _ in range(2500):  # PyTorch remembers the last 2,000 collectives in any case
        dist.all_reduce(other)
    before = memory.host()
    for _ in range(50):
        block.average_weights(net, 1)
    kit.note("kept", (memory.host() - before) / (50 * len(list(net.parameters()))))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        net(kit.tensor(4, 8).cpu()).sum().backward()
    kit.note("warned", sum("autograd kernel was not registered" in str(w.message) for w in seen))
    dist.destroy_process_group()


@scenario(claim=Notes("refused", bad=">= 1", gpu_only=True))
def gloo_on_gpu(kit):
    """gloo copies the result back from the host, in place, which autograd refuses."""
    import torch.distributed as dist

    _meet(kit)
    kit.note("refused", 0)
    try:
        dist.all_reduce(kit.mlp(8, 8, 2)[0].weight)
    except RuntimeError as error:
        kit.note("refused", "leaf Variable" in str(error))
    dist.destroy_process_group()
