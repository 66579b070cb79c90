"""Each of two processes trains on all samples, instead of on half of them."""

from truthkit import Notes, drive

CLAIM = Notes("samples", bad="== 64", good="== 32")
COST = "no memory: each of two processes trains on {bad1.samples} of 64 samples instead of {good1.samples}"
ROWS = [("a loader without a sampler: samples in each process", "bad1"), ("with a `DistributedSampler`", "good1")]
SETTING = "64 samples, two processes on the CPU, gloo"

# What each process does: the block, and the number of samples that its model sees. It stays until it is told
# to go, so that none closes its connections while the other one still uses them.
_PROGRAM = """
import inspect, os, sys
import torch
import torch.distributed as dist
from torch.distributed import FileStore

rank, folder = int(sys.argv[1]), sys.argv[2]
names = {}
exec(compile(open(folder + "/block.py").read(), "block.py", "exec"), names)
store = FileStore(folder + "/meeting", 2)
dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
model = torch.nn.Linear(8, 4)
seen = []
model.register_forward_pre_hook(lambda module, inputs: seen.append(len(inputs[0])))
data = torch.utils.data.TensorDataset(torch.randn(64, 8), torch.randint(4, (64,)))
given = dict(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.01), dataset=data, epochs=1)
names["train"](**{name: given[name] for name in inspect.signature(names["train"]).parameters})
print("samples", sum(seen), flush=True)
sys.stdin.read()
os._exit(0)
"""


@drive("train")
def train(block, kit):
    """Two new processes: a fork of one that has used autograd on a GPU can use it no more."""
    import os
    import subprocess
    import sys

    (kit.folder / "block.py").write_text(block.text)
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(rank), str(kit.folder)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    said = [rank.stdout.readline().split() for rank in ranks]  # both are done, and neither has closed a connection
    for rank in ranks:
        rank.stdin.close()
        rank.wait()
    assert all(said), "a process has failed"
    kit.note("samples", max(float(words[1]) for words in said))
