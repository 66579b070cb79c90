"""Checkpoints that are handed over faster than they are written."""

from truthkit import Grows, drive

CLAIM = Grows(kb=500, on="host")  # the queue, at 2 MB a job


@drive("save_all")
def save_all(block, kit):
    import time
    from concurrent.futures import ThreadPoolExecutor

    class SlowDisk(ThreadPoolExecutor):
        def submit(self, function, *arguments):
            def later():
                time.sleep(0.1)
                return function(*arguments)

            return super().submit(later)

    module = block.load()
    module.POOL = SlowDisk(max_workers=1)
    shards = ({"weight": kit.tensor(512, 1024).clone()} for _ in kit.steps())
    module.save_all(shards, str(kit.folder))
