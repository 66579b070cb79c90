"""An evaluation with grad needs the memory of training."""

from truthkit import PeakHigher, RunsOnly, drive

CLAIM = PeakHigher(ratio=2)


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
