"""How many models are alive while the next one is made."""

from truthkit import Notes, drive

CLAIM = Notes("alive", bad=">= 1", good="<= 0", unit="models")


@drive("search")
def search(block, kit):
    import weakref

    made = []

    def make_model(cfg):
        kit.note("alive", sum(1 for model in made if model() is not None))
        model = kit.mlp(8, 8, 4)
        made.append(weakref.ref(model))
        return model

    block.search(make_model, lambda model, optimizer: 0.0, range(5), kit.device)
