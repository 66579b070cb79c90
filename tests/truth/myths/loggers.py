"""## TensorBoard and tqdm keep the tensors that they are given

*Often suspected.* `SummaryWriter.add_scalar` and `tqdm.set_postfix` make a number or a text of it at once (and wait for the
device to do so). What you put into a list of your own stays.
"""

from truthkit import Grows, scenario

PLACE = 10
ROWS = [
    ("`writer.add_scalar(\"loss\", loss, step)` with the live loss", "tensorboard"),
    ("`bar.set_postfix(loss=loss)`", "tqdm"),
    ("`history.append(loss)`", "history"),
]


def _losses(kit, log):
    import torch.nn.functional as F

    step = 0
    for images, labels in kit.loader(turns=0 if kit.gpu else 40):
        log(F.cross_entropy(kit.model(images), labels), step)
        step += 1


@scenario(claim=Grows(mb=2), side="good")
def tensorboard(kit):
    with kit.optional():
        from torch.utils.tensorboard import SummaryWriter
    writer = SummaryWriter(str(kit.folder))
    _losses(kit, lambda loss, step: writer.add_scalar("loss", loss, step))
    writer.close()


@scenario(claim=Grows(mb=2), side="good")
def tqdm(kit):
    with kit.optional():
        from tqdm import tqdm as Bar
    bar = Bar(range(100))
    _losses(kit, lambda loss, step: bar.set_postfix(loss=loss))


@scenario(claim=Grows(mb=2))
def history(kit):
    kept = []
    _losses(kit, lambda loss, step: kept.append(loss))
