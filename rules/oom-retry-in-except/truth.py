"""What the failed attempt had is alive when it is tried again inside the handler."""

from truthkit import Notes, drive

CLAIM = Notes("alive", bad=">= 1", good="<= 0")


@drive("predict")
def predict(block, kit):
    import weakref

    import torch

    class Model:
        def __init__(self):
            self.held = None

        def __call__(self, images):
            if self.held is None:
                activations = kit.tensor(256, 1024)
                self.held = weakref.ref(activations)
                raise torch.cuda.OutOfMemoryError("CUDA out of memory")
            kit.note("alive", float(self.held() is not None))
            return images.mean(dim=(1, 2, 3))

    block.predict(Model(), kit.images())
