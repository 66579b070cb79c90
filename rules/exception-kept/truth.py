"""The frames of the failed call live as long as the exception."""

from truthkit import Grows, drive

COST = "all activations of the failed call, for each exception that is kept: **{bad1.growth_device}** here"
ROWS = [("the exception is kept", "bad1"), ("its text is kept", "good1")]
SETTING = "a tensor of 512 × 1,024"
CLAIM = Grows(mb=1)


@drive("sweep", "Runner")
def sweep(block, kit):
    def run(config):
        activations = kit.tensor(512, 1024)
        raise RuntimeError(f"no room for {activations.shape}")

    block.sweep(run, kit.steps())
    runner = block.Runner()
    runner.go(run, 0)
    kit.note("frames", float(runner.last_error.__traceback__ is not None))
