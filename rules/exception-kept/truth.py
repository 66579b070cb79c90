"""The frames of the failed call live as long as the exception."""

from truthkit import Grows, drive

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
