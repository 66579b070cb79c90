"""Starts the worker, and holds what it measured against the claims."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional

from truthkit.plan import Job, Plan, PlanError, plan

WORKER = Path(__file__).resolve().parent / "worker.py"
# Every large tensor is a mapping of its own, every object is malloc's, and malloc has no caches that count as in use:
# what is kept is seen to 200 bytes a turn.
ENVIRONMENT = {
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "PYTHONMALLOC": "malloc",
    "MPLBACKEND": "Agg",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:2",
}

Results = dict[tuple[str, str], dict[str, Any]]


def plans(rules: list[str], fixed: Optional[Path]) -> tuple[list[Plan], list[str]]:
    found, problems = [], []
    for rule in rules:
        try:
            found.append(plan(rule, fixed))
        except PlanError as error:
            problems.append(str(error))
    return found, problems


def measure(
    rules: list[str], device: str, python: str, fixed: Optional[Path], jobs: int, only: str = "", limit: int = 0
) -> Results:
    with tempfile.TemporaryDirectory(prefix="truth-") as name:
        folder = Path(name)
        spec = dict(device=device, fixed=str(fixed or ""), rules=rules, jobs=jobs, only=only, limit=limit, timeout=60)
        if device == "cuda":
            spec.update(timeout=90, fraction=0.9 / jobs)  # of the memory
        (folder / "spec.json").write_text(json.dumps(spec))
        results = folder / "results"
        command = [python, str(WORKER), str(folder / "spec.json"), str(results)]
        environment = {**os.environ, **ENVIRONMENT, "TMPDIR": name}
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL)
        if done.returncode:
            print(f"truth: the worker ended with status {done.returncode}", file=sys.stderr)
        lines = results.read_text().splitlines() if results.exists() else []
    found = [json.loads(line) for line in lines]
    return {(result["rule"], result["run"]): result for result in found}


def problems_of(job: Job, results: Results, device: str) -> list[str]:
    run = results.get((job.rule, job.name))
    if run is None:
        return ["was not run"]
    if "broken" in run:
        return [run["broken"]]
    if "skipped" in run:
        return []
    if "raised" in run and not job.may_raise:
        return [run["traceback"]]
    other = results.get((job.rule, job.against))
    if other is not None and {"broken", "raised", "skipped"} & set(other):
        other = None
    found = [claim.problem(job.side, run, other, device) for claim in job.claims]
    return [problem for problem in found if problem]
