"""A hook that appends what it sees keeps it, graph and all; a number or a single slot does not grow."""

from truthkit import Grows, RunsOnly, drive, scenario

COST = "{bad1.growth} a step, one output of a layer; with grad and no `backward()` {unfreed.growth_device}, the whole graph"
ROWS = [
    ("`kept.append(output)`", "bad1"),
    ("`kept.append(output.detach())`, on the device", "bad3"),
    ("`kept.append(output.detach().cpu())`", "good1"),
    ("`kept.append(output.norm().item())`", "good2"),
    ("`kept.append(output)` in an evaluation with grad", "unfreed"),
]
CLAIM = Grows(kb=100, good_on="device")


def _train_steps(kit):
    import torch.nn.functional as F

    for _ in kit.steps():
        kit.optimizer.zero_grad()
        F.cross_entropy(kit.model(kit.images()), kit.labels()).backward()
        kit.optimizer.step()


@drive("watch")
def watch(block, kit):
    handle = block.watch(kit.layer)
    _train_steps(kit)
    handle.remove()


@drive("Features", has="model.named_children", claim=RunsOnly("a single slot does not grow"))
def slots(block, kit):
    features = block.Features(kit.model)
    _train_steps(kit)
    features.close()


@drive()
def owner(block, kit):
    made = getattr(block, block.names[-1])(kit.layer)
    _train_steps(kit)
    made.close()


@scenario(claim=Grows(mb=2))
def unfreed(kit):
    kept = []
    kit.model[-1].register_forward_hook(lambda module, args, output: kept.append(output))
    for images in kit.loader(1):
        kit.model(images)
