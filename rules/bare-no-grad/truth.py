"""Is grad on where the model runs?"""

from truthkit import Notes, Raises, drive

ROWS = [
    ("`torch.no_grad()` as a statement", "bad1", "peak"),
    ("`with torch.no_grad():`", "good1", "peak"),
    ("`with torch.no_grad:`", "bad2"),
]
CLAIM = Notes("grad", bad=">= 1", good="<= 0")


def watch(block, kit, function):
    import torch

    kit.model.register_forward_hook(lambda *_: kit.note("grad", int(torch.is_grad_enabled())))
    function(kit.model, kit.images())


@drive("features")
def features(block, kit):
    watch(block, kit, block.features)


@drive("predict", has="with torch.no_grad:", claim=Raises("TypeError"))
def without_call(block, kit):
    block.predict(kit.model, kit.images())


@drive("predict")
def predict(block, kit):
    watch(block, kit, block.predict)
