"""Each trace compiles the module once more; what is compiled stays in part."""

from truthkit import Notes, drive

CLAIM = Notes("traces", bad=">= 5", good="<= 1")


@drive("measure")
def measure(block, kit):
    import torch

    trace, calls = torch.jit.trace, []

    def counted(*args, **options):
        calls.append(1)
        kit.note("traces", len(calls))
        return trace(*args, **options)

    torch.jit.trace = counted
    model = kit.mlp(8, 8, 4)
    block.measure(model, [kit.tensor(2, 8) for _ in range(6)])
