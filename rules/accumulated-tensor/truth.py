"""Each kept value keeps its graph: activations where no backward() has freed them, nodes elsewhere."""

from truthkit import Grows, drive

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
