"""What autograd has noted on the parameters makes itself heard in the next backward(); gloo, one process."""

from truthkit import Notes, drive

CLAIM = Notes("warned", bad=">= 1", good="<= 0")


@drive("average_weights")
def average_weights(block, kit):
    import warnings

    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{kit.folder}/meeting", rank=0, world_size=1)
    net = kit.mlp(8, 8, 2)
    for _ in range(50):
        block.average_weights(net, 1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        net(kit.tensor(4, 8)).sum().backward()
    kit.note("warned", sum("autograd kernel was not registered" in str(w.message) for w in seen))
    dist.destroy_process_group()
