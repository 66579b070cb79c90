"""Each of two processes trains on all samples, instead of on half of them."""

from truthkit import Notes, drive

CLAIM = Notes("samples", bad="== 64", good="== 32")
COST = "no memory: each of two processes trains on {bad1.samples} of 64 samples instead of {good1.samples}"
SETTING = "64 samples, two processes on the CPU"


def _run(block, kit, rank, store):
    """What one of the two processes does: the number of samples that its model sees."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = torch.nn.Linear(8, 4)
    seen = []
    model.register_forward_pre_hook(lambda module, inputs: seen.append(len(inputs[0])))
    data = torch.utils.data.TensorDataset(torch.randn(64, 8), torch.randint(4, (64,)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    kit.call(block.train, model=model, optimizer=optimizer, dataset=data)
    dist.destroy_process_group()
    return sum(seen)


@drive("train")
def train(block, kit):
    import os

    store = kit.folder / "store"
    other = os.fork()
    if other == 0:
        _run(block, kit, 1, store)
        os._exit(0)
    kit.note("samples", _run(block, kit, 0, store))
    os.waitpid(other, 0)
