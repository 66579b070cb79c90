"""Each worker copies the pages of the objects that it reads."""

from truthkit import Notes, drive

CLAIM = Notes("copied", bad=">= 5", good="<= 2", unit=" MB")
COST = "{bad1.copied} more in **each worker** for 30,000 small records, {good1.copied} with one buffer"
SETTING = "the last 30,000 of 40,000 records of 16 numbers, two workers"
RECORDS = 40_000


def _private(pid):
    """Memory that a process shares with nobody, in bytes."""
    total = 0
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as fields:
        for line in fields:
            if line.startswith(("Private_Clean:", "Private_Dirty:")):
                total += int(line.split()[1]) * 1024
    return total


@drive("make_loader")
def make_loader(block, kit):
    import json

    path = kit.folder / "records.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for i in range(RECORDS):
            file.write(json.dumps({"id": i, "tokens": [i + 1000 * k for k in range(16)]}) + "\n")
    loader = block.make_loader(str(path))
    batches = iter(loader)
    workers = [worker.pid for worker in batches._workers]
    for number in range(len(loader) - 16):
        next(batches)
        if number == len(loader) // 4:  # by then what the workers import and collect is there
            first = [_private(pid) for pid in workers]
    last = [_private(pid) for pid in workers]
    kit.note("copied", round(max(b - a for a, b in zip(first, last)) / 1e6, 1))
