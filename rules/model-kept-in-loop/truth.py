"""One model more in each turn of the search."""

from truthkit import Grows, drive

CLAIM = Grows(mb=1)


@drive("search")
def search(block, kit):
    def fit(model, config):
        model(kit.tensor(8, 512)).sum().backward()
        return 1.0 / (1 + config)

    block.search(lambda config: kit.mlp(512, 512, 10), fit, kit.steps())
