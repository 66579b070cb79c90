"""rules/measured.json: every figure that pages show, with what it was measured on. One line a run."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from truthkit.claims import Grows
from truthkit.pages import RULES
from truthkit.plan import Job, Plan

FILE = RULES / "measured.json"

_ASK = """
import json, platform, torch
name = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
device = torch.cuda.get_device_name(0) if %r == "cuda" else name or platform.machine()
version = torch.__version__.split("+")[0]
print(json.dumps(dict(device=device, torch=version, python=platform.python_version(), system=platform.system())))
"""


def _machine(device: str, python: str) -> dict[str, str]:
    done = subprocess.run([python, "-c", _ASK % device], capture_output=True, text=True, check=True)
    return {**json.loads(done.stdout), "date": time.strftime("%Y-%m-%d")}


def _short(value: float) -> float:
    """Four digits: more would differ from one day to the next."""
    value = float(f"{value:.4g}")
    return int(value) if value == int(value) else value


@dataclass
class Figures:
    machines: dict[str, dict[str, str]] = field(default_factory=dict)
    runs: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)  # rule, device, run

    def of(self, job: Job, device: str) -> Optional[dict[str, Any]]:
        """What was measured of this very code; nothing, when that has changed since."""
        found = self.runs.get((job.rule, device, job.name))
        return found if found and found["code"] == job.code else None


def load(path: Path = FILE) -> Figures:
    if not path.exists():
        return Figures()
    data = json.loads(path.read_text(encoding="utf-8"))
    runs = {(run["rule"], run["device"], run["run"]): run for run in data["runs"]}
    return Figures(data["machines"], runs)


def store(figures: Figures, path: Path = FILE) -> None:
    used = {run["machine"] for run in figures.runs.values()}
    machines = {name: figures.machines[name] for name in sorted(used)}
    lines = [json.dumps(figures.runs[key], ensure_ascii=False) for key in sorted(figures.runs)]
    text = '{\n"machines": ' + json.dumps(machines, indent=1) + ',\n"runs": [\n' + ",\n".join(lines) + "\n]\n}\n"
    path.write_text(text, encoding="utf-8")


def _series(result: dict[str, Any], claim: Grows) -> list[float]:
    """Memory after each turn: of the device, unless it is the host's that grows and is spoken of."""
    device, host = result.get("series_device") or [], result["series_host"]
    if "device" in (claim.on, claim.good_on) and device:
        return device
    on_host = claim.on == "host" or result["growth_host"] > max(6e3, result.get("growth_device", 0.0))
    return host if on_host or not any(device) else device


def _figure(job: Job, device: str, machine: str, result: dict[str, Any]) -> dict[str, Any]:
    run: dict[str, Any] = dict(rule=job.rule, run=job.name, device=device, machine=machine, code=job.code)
    for name in ("growth_device", "growth_host", "peak"):
        if name in result:
            run[name] = _short(result[name])
    if grows := [claim for claim in job.claims if isinstance(claim, Grows)]:
        run["series"] = [_short(value) for value in _series(result, grows[0])[:16]]
    if device == "cuda":  # time on a shared CPU says nothing
        run["ms"] = _short(result["ms"])
    if result["notes"]:
        run["notes"] = {name: _short(value) for name, value in result["notes"].items()}
    if "raised" in result:
        run["raised"] = result["raised"].splitlines()[0][:120]
    return run


def write(plans: list[Plan], results: dict, device: str, python: str, out: Optional[Path]) -> None:
    """Replaces the figures of these rules on this device; those of fixed blocks are asserted, not kept."""
    machine = _machine(device, python)
    name = f"{device}-{machine['torch']}-{machine['date']}"
    figures = Figures() if out else load()
    figures.machines[name] = machine
    for plan in plans:
        for key in [key for key in figures.runs if key[:2] == (plan.rule, device)]:
            del figures.runs[key]
        for job in plan.jobs:
            result = results.get((job.rule, job.name), {"broken": "was not run"})
            if {"broken", "skipped"} & set(result) or (job.block and job.block.side == "fixed"):
                continue
            if "raised" in result and not job.may_raise:
                continue
            figures.runs[(job.rule, device, job.name)] = _figure(job, device, name, result)
    if out:
        out.mkdir(parents=True, exist_ok=True)
    store(figures, out / "measured.json" if out else FILE)


def merge(folder: Path) -> None:
    here, there = load(), load(folder / "measured.json")
    replaced = {key[:2] for key in there.runs}
    here.runs = {key: run for key, run in here.runs.items() if key[:2] not in replaced}
    here.runs.update(there.runs)
    here.machines.update(there.machines)
    store(here)
    print(f"truth: {len(there.runs)} figures of {len(replaced)} rules taken in")
