"""Each kept value keeps its graph: activations where no backward() has freed them, nodes elsewhere."""

from truthkit import Grows, drive, scenario

COST = (
    "**{unfreed.growth_device}** a batch; after `backward()` {bad1.growth_device} on the device and "
    "{bad1.growth_host} on the host a step"
)
ROWS = [
    ("output or loss of a forward that no `backward()` follows", "unfreed"),
    ("the same after `.cpu()`: the copy refers to the graph", "bad3"),
    ("a loss after `backward(retain_graph=True)`", "retained"),
    ("a second loss that `backward()` does not reach", "bad4"),
    ("a list of losses after a plain `backward()`", "bad1"),
    ("`total += loss` after a plain `backward()`", "bad2"),
    ("a list of `mse_loss` results (256 × 1,024 elements), `.detach()`ed", "mse_detached"),
    ("a list of `mse_loss` results, `.item()`", "mse_item"),
    ("a list of `loss.item()`", "good1"),
]
CLAIM = Grows(kb=10)  # the nodes of a small network; a float is 24 bytes


@drive("predict", claim=Grows(mb=2))
def predict(block, kit):
    kit.call(block.predict)


@drive(has="def train(model, decoder", claim=Grows(mb=0.5))
def second_loss(block, kit):
    kit.call(block.train)


@drive("Trainer")
def trainer(block, kit):
    block.Trainer(kit.model, kit.optimizer).fit(kit.loader(), epochs=1)


@drive(has="heads")
def heads(block, kit):
    two = [kit.mlp(kit.classes, 64, 10) for _ in range(2)]
    labels = kit.labels() % 10
    kit.call(block.train, heads=two, loader=kit.loader(make=lambda: (kit.images(), [labels, labels])))


@scenario(claim=Grows(mb=2))
def unfreed(kit):
    import torch.nn.functional as F

    losses = []
    for images, labels in kit.loader():
        losses.append(F.cross_entropy(kit.model(images), labels))


@scenario(claim=Grows(mb=2))
def retained(kit):
    import torch.nn.functional as F

    losses = []
    for images, labels in kit.loader():
        kit.optimizer.zero_grad()
        loss = F.cross_entropy(kit.model(images), labels)
        loss.backward(retain_graph=True)
        losses.append(loss)


def _mse(kit, keep):
    import torch.nn.functional as F

    model, kept = kit.mlp(64, 64, 1024), []
    for x, y in kit.loader(make=lambda: (kit.tensor(256, 64), kit.tensor(256, 1024))):
        loss = F.mse_loss(model(x), y)
        loss.backward()
        kept.append(keep(loss))


@scenario(claim=Grows(mb=1))
def mse_detached(kit):
    """The result is a view of the buffer that was reduced."""
    _mse(kit, lambda loss: loss.detach())


@scenario(claim=Grows(mb=1), side="good")
def mse_item(kit):
    _mse(kit, lambda loss: loss.item())
