"""## `with DataLoader(...)`, so that the workers are closed

*Often advised:* use the loader as a context manager. A `DataLoader` is none, and the line raises. Nothing is lost by that:
worker processes belong to the iterator, and end with it. ([TLK402](../rules/loader-as-context-manager/rule.md))
"""

from truthkit import Notes, Raises, memory, scenario

PLACE = 1
ROWS = [
    ("`with DataLoader(dataset, num_workers=2) as loader:`", "with_statement"),
    ("worker processes during a plain loop", "plain_loop", "during"),
    ("worker processes after it", "plain_loop", "after"),
]


@scenario(claim=Raises("TypeError", match="context manager"))
def with_statement(kit):
    from torch.utils.data import DataLoader

    with DataLoader(list(range(8)), num_workers=2) as loader:
        sum(1 for _ in loader)


@scenario(claim=[Notes("during", good=">= 2"), Notes("after", good="<= 0")], side="good")
def plain_loop(kit):
    import time

    from torch.utils.data import DataLoader

    during = 0
    for _ in DataLoader(list(range(8)), num_workers=2, multiprocessing_context="fork"):
        during = max(during, len(memory.children()))
    kit.note("during", during)
    until = time.monotonic() + 10
    while memory.children() and time.monotonic() < until:
        time.sleep(0.01)
    kit.note("after", len(memory.children()))
