"""Runs jobs, each in a process of its own: torch is imported once, then every run is a fork of that.

    python worker.py SPEC.json RESULTS.jsonl

A crash, a hang or an exhausted memory costs one run. On a GPU the runs of a rule share a process, since starting CUDA
takes longer than most of them; what is left of them after a crash is run one by one.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch  # noqa: E402
from truthkit import memory, pretend  # noqa: E402
from truthkit.kit import Kit, LoadedBlock, Skipped  # noqa: E402
from truthkit.plan import Job, plan  # noqa: E402


def growth(samples: list[int]) -> float:
    """Bytes a turn over the second half of the turns: the first ones fill caches and make gradients.

    Mean or median, whichever is less: where a library is loaded late the mean grows, and the median where a list is
    cleared now and then. The device's allocator gives out a larger block where one is free, which goes up and down by a
    megabyte: so the least and the most that is held must grow as well.
    """
    if len(samples) < 4:
        return 0.0
    late = samples[len(samples) // 2 :]
    turns = sorted(after - before for before, after in zip(late, late[1:]))
    half = len(late) // 2
    apart = len(late) - half
    least = (min(late[-half:]) - min(late[:half])) / apart
    most = (max(late[-half:]) - max(late[:half])) / apart
    return min((late[-1] - late[0]) / len(turns), turns[len(turns) // 2], least, most)


_warm: list[bool] = []


def warm_up(kit: Kit) -> None:
    if _warm:
        return
    _warm.append(True)
    model = kit.new_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        model(kit.images()).sum().backward()
        optimizer.step()


def reset() -> None:
    """What a block has left behind, where the next one runs in the same process."""
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    torch.set_default_dtype(torch.float32)
    gc.enable()
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    for pid in memory.children():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(job: Job, device: str) -> dict[str, Any]:
    kit = Kit(device, job.turns, job.alone)
    warm_up(kit)
    kit.images()  # the batch that all others are clones of belongs to no run
    gc.collect()
    if kit.gpu:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    memory.reset_host_peak()
    device_base = memory.device() if kit.gpu else 0
    host_base = memory.status("VmRSS")
    result: dict[str, Any] = {}
    random.seed(0)
    torch.manual_seed(0)
    block = LoadedBlock(job.block, kit) if job.block else None
    if not kit.gpu:
        pretend.begin()
    try:
        if block is None:
            assert job.function
            job.function(kit)
        elif job.function:
            job.function(block, kit)
        else:
            kit.auto(block)
    except Skipped as error:
        return dict(skipped=str(error))
    except BaseException as error:  # SystemExit as well: it is the block's
        if isinstance(error, ModuleNotFoundError) and kit.gpu:
            return dict(skipped=str(error))  # where a GPU is, not every package may be at hand
        result["raised"] = f"{type(error).__name__}: {error}"[:300]
        result["raised_kinds"] = [kind.__name__ for kind in type(error).__mro__]
        result["traceback"] = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-3:])[-1500:]
        del error
    kit.finish()
    samples = list(kit.samples.values())
    result["growth_host"] = max((growth([host for _, host in s]) for s in samples), default=0.0)
    longest = max(samples, key=len, default=[])
    result["series_host"] = [host - longest[0][1] for _, host in longest]
    if kit.gpu:
        result["series_device"] = [held - longest[0][0] for held, _ in longest]
    result["peak_host"] = max(0, memory.status("VmHWM") - host_base)
    if kit.gpu:
        result["growth_device"] = max((growth([device for device, _ in s]) for s in samples), default=0.0)
        result["peak_device"] = torch.cuda.max_memory_allocated() - device_base
    result["peak"] = result.get("peak_device", result["peak_host"])
    times = sorted(kit.times[2:] or kit.times)
    result["ms"] = 1e3 * times[len(times) // 2] if times else 0.0
    result["turns"] = len(kit.times)
    result["notes"] = kit.notes
    if block:
        block.unload()
    return result


def child(jobs: list[Job], spec: dict[str, Any], results: str, log: str) -> None:
    """In the forked process: one line of results for each job."""
    os.setsid()
    with open(log, "w") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if spec["device"] == "cuda" and spec.get("fraction"):
        torch.cuda.set_per_process_memory_fraction(spec["fraction"])
    if spec["device"] == "cuda" and any(job.alone for job in jobs):
        gc.unfreeze()  # where time counts, a collection visits what it visits in any program that imports torch
    for job in jobs:
        result = run(job, spec["device"])
        result.update(rule=job.rule, run=job.name)
        with open(results, "a") as out:
            out.write(json.dumps(result) + "\n")
        reset()
        gc.collect()


# Blocks that leave something in their process which nothing takes back.
OWN_PROCESS = ("profile", "memory_history", "multiprocessing", "num_workers", "fork", "inference_mode(", "set_start_method")


class Running:
    def __init__(self, jobs: list[Job], spec: dict[str, Any], folder: Path, number: int) -> None:
        self.jobs, self.spec = jobs, spec
        self.results, self.log = folder / f"{number}.jsonl", folder / f"{number}.log"
        self.until = time.monotonic() + spec["timeout"] * (1 + len(jobs) / 4)
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            if spec["fresh"]:
                names = json.dumps([(job.rule, job.name) for job in jobs])
                arguments = ["--group", names, sys.argv[1], str(self.results), str(self.log)]
                os.execv(sys.executable, [sys.executable, __file__, *arguments])
            try:
                child(jobs, spec, str(self.results), str(self.log))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)

    def ended(self) -> bool:
        late = time.monotonic() > self.until
        if late:
            self.kill()
        pid, self.status = os.waitpid(self.pid, 0 if late else os.WNOHANG)
        if pid:
            self.kill()  # what a block has started and left
        self.late = late
        return pid != 0

    def kill(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def outcome(self) -> tuple[list[dict[str, Any]], list[Job]]:
        """What was measured, a failure for the one that broke off, and those that were not reached."""
        lines = self.results.read_text().splitlines() if self.results.exists() else []
        found = [json.loads(line) for line in lines]
        missing = self.jobs[len(found) :]
        if missing:
            tail = self.log.read_text(errors="replace")[-800:] if self.log.exists() else ""
            why = "ran out of time" if self.late else f"the process ended with status {self.status}"
            found.append(dict(rule=missing[0].rule, run=missing[0].name, broken=f"{why}\n{tail}"))
        return found, missing[1:]


def groups(jobs: list[Job], spec: dict[str, Any]) -> list[list[Job]]:
    if spec["device"] == "cpu":
        return [[job] for job in jobs]
    by_rule: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        text = job.block.text if job.block else ""
        own = job.name if any(word in text for word in OWN_PROCESS) else ""
        by_rule.setdefault((job.rule, own), []).append(job)
    return list(by_rule.values())


def schedule(todo: list[list[Job]], at_once: int, spec: dict[str, Any], results: Path, started: int = 0) -> int:
    running: list[Running] = []
    folder = results.parent
    with results.open("a") as out:
        while todo or running:
            if time.monotonic() > spec["until"]:
                for one in running:
                    one.until = 0.0
                todo = []
            while todo and len(running) < at_once:
                started += 1
                running.append(Running(todo.pop(0), spec, folder, started))
            for one in [one for one in running if one.ended()]:
                running.remove(one)
                found, left = one.outcome()
                todo = [[job] for job in left] + todo
                for result in found:
                    out.write(json.dumps(result) + "\n")
                out.flush()
            time.sleep(0.005)
    return started


def all_jobs(spec: dict[str, Any]) -> list[Job]:
    fixed: Optional[Path] = Path(spec["fixed"]) if spec["fixed"] else None
    return [job for rule in spec["rules"] for job in plan(rule, fixed).jobs if spec["only"] in ("", job.name)]


def one_group(names: str, spec: str, results: str, log: str) -> None:
    """The same as a fork, in a process that has started anew."""
    wanted = [tuple(name) for name in json.loads(names)]
    found = json.loads(Path(spec).read_text())
    found["rules"] = sorted({rule for rule, _ in wanted})
    jobs = {(job.rule, job.name): job for job in all_jobs(found)}
    child([jobs[name] for name in wanted], found, results, log)


def cuda_survives_a_fork() -> bool:
    """It does unless something has started it here already, which an import can do."""
    pid = os.fork()
    if pid == 0:
        try:
            torch.zeros(1, device="cuda").add_(1).item()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def main() -> None:
    if sys.argv[1] == "--group":
        one_group(*sys.argv[2:])
        return
    spec = json.loads(Path(sys.argv[1]).read_text())
    spec["until"] = time.monotonic() + (spec["limit"] or 1e9)
    results = Path(sys.argv[2])
    jobs = all_jobs(spec)
    torch.optim.SGD([torch.zeros(1)], lr=0.1).zero_grad()  # imports much, which each run would do anew
    gc.collect()
    gc.freeze()  # or the first collection of each run would copy all of it
    spec["fresh"] = spec["device"] == "cuda" and not cuda_survives_a_fork()
    # Time is compared on a GPU only, and then nothing else runs.
    alone = [job for job in jobs if job.alone and spec["device"] == "cuda"]
    rest = [job for job in jobs if job not in alone]
    started = schedule(groups(rest, spec), spec["jobs"], spec, results)
    schedule(groups(alone, spec), 1, spec, results, started)


if __name__ == "__main__":
    main()
