"""Is the model in training mode in the last step of the second epoch?"""

from truthkit import Notes, drive

CLAIM = Notes("training", bad="<= 0", good=">= 1")


@drive("fit")
def fit(block, kit):
    kit.optimizer.register_step_pre_hook(lambda *_: kit.note("training", int(kit.model.training)))
    kit.call(block.fit, loader=kit.loader(1), val_loader=kit.loader(1), epochs=2)
