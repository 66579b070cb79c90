"""An evaluation with grad needs the memory of training."""

from truthkit import Grows, PeakHigher, RunsOnly, drive, scenario

CLAIM = PeakHigher(ratio=2)
COST = "peak {bad1.peak} against {good2.peak} under `no_grad`"
ROWS = [
    ("an evaluation with grad, nothing kept", "bad1"),
    ("under `torch.no_grad()`", "good2", "peak"),
    ("under `torch.inference_mode()`", "inference", "peak"),
    ("with grad, and the outputs kept", "outputs_kept"),
    ("training step whose target network runs with grad", "bad4"),
]


@drive("run_epoch")
def run_epoch(block, kit):
    kit.call(block.run_epoch, **(dict(mode="val") if "mode ==" in block.text else dict(training=False)))


@drive("fit", claim=RunsOnly("its training half needs a graph in any case"))
def fit(block, kit):
    kit.call(block.fit)


@drive("Trainer")
def trainer(block, kit):
    kit.call(block.Trainer(kit.model, None).validate)


@drive("learn", claim=PeakHigher(mb=1))
def learn(block, kit):
    class Replay:
        def sample(self):
            kit.sample()
            state = kit.images()
            actions = kit.labels()
            return state, actions[:, None], kit.tensor(kit.batch), state.clone()

    kit.call(block.learn, online_net=kit.model, target_net=kit.new_model(), replay=Replay())


@scenario(side="good")
def inference(kit):
    import torch

    kit.model.eval()
    with torch.inference_mode():
        for images, labels in kit.loader():
            (kit.model(images).argmax(dim=1) == labels).sum().item()


@scenario(claim=Grows(mb=2))
def outputs_kept(kit):
    kit.model.eval()
    outputs = []
    for images in kit.loader(1):
        outputs.append(kit.model(images))
