"""The command line: check, measure, prepare, merge, render."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Optional

from truthkit import fixes, judge, venv
from truthkit.claims import size
from truthkit.pages import all_myths, all_rules
from truthkit.plan import Plan


def _arguments(argv: Optional[list[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="truth", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("check", "run everything and hold it against the claims"), ("measure", "and write figures")):
        one = commands.add_parser(name, help=text)
        one.add_argument("rules", nargs="*", help="names of rules (default: all)")
        one.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
        one.add_argument("--run", default="", help="only this run: bad1, good2, fixed1, the name of a scenario")
        one.add_argument("--torchleak", type=Path, help="the program that fixes the bad blocks")
        one.add_argument("--fixed", type=Path, help="folder that `prepare` has written, instead of --torchleak")
        one.add_argument("--python", default="", help="one that has torch (default: this one)")
        one.add_argument("--venv", type=Path, help="an environment with torch, made there when it is missing")
        one.add_argument("--jobs", type=int, default=0, help="runs at once")
        one.add_argument("--limit", type=int, default=0, help="seconds after which no more runs are started")
        one.add_argument("-v", "--verbose", action="store_true", help="show each run")
        if name == "measure":
            one.add_argument("--out", type=Path, help="write the figures into this folder, for `merge`")
    one = commands.add_parser("prepare", help="write the bad blocks after their fix into a folder")
    one.add_argument("--torchleak", type=Path, required=True)
    one.add_argument("--out", type=Path, required=True)
    one = commands.add_parser("merge", help="take in figures that `measure --out` has written")
    one.add_argument("folder", type=Path)
    one = commands.add_parser("render", help="write the figures into the pages")
    one.add_argument("--check", action="store_true", help="change nothing, fail where something would change")
    return parser.parse_args(argv)


def _line(plan: Plan, name: str, result: dict) -> str:
    if "broken" in result:
        return f"  {plan.rule} {name}: broken"
    if "skipped" in result:
        return f"  {plan.rule} {name}: left out: {result['skipped']}"
    parts = [f"host {size(result['growth_host'])} a turn"]
    if "growth_device" in result:
        parts.insert(0, f"device {size(result['growth_device'])} a turn")
    parts += [f"peak {size(result['peak'])}", f"{result['ms']:.2f} ms", f"{result['turns']} turns"]
    parts += [f"{key} {value:g}" for key, value in result["notes"].items()]
    parts += [result["raised"].splitlines()[0][:80]] if "raised" in result else []
    return f"  {plan.rule} {name}: " + ", ".join(parts)


def _name(text: str) -> str:
    """A rule by name or path; myths/NAME."""
    path = Path(text)
    return f"myths/{path.stem}" if path.parent.name == "myths" else path.name


def _run(options: argparse.Namespace) -> int:
    start = time.monotonic()
    rules = [_name(rule) for rule in options.rules] or all_rules() + all_myths()
    python = options.python or (venv.python(options.venv) if options.venv else sys.executable)
    jobs = options.jobs or (3 if options.device == "cuda" else os.cpu_count() or 2)
    with tempfile.TemporaryDirectory(prefix="truth-fixed-") as name:
        fixed = options.fixed
        if options.torchleak:
            fixed = Path(name)
            fixes.prepare(options.torchleak, fixed, rules)
        plans, problems = judge.plans(rules, fixed)
        known = [plan.rule for plan in plans if plan.jobs]
        results = judge.measure(known, options.device, python, fixed, jobs, options.run, options.limit)
    count = 0
    for plan in plans:
        if plan.skipped:
            print(f"not run: {plan.rule}: {plan.skipped}")
        for job in plan.jobs:
            if options.run not in ("", job.name):
                continue
            count += 1
            result = results.get((job.rule, job.name), {"broken": "was not run"})
            if options.verbose or "skipped" in result:
                print(_line(plan, job.name, result))
            for problem in judge.problems_of(job, results, options.device):
                problems.append(f"{job.rule} {job.name} ({job.block.caption if job.block else 'scenario'}): {problem}")
    for problem in problems:
        print(f"FAILED {problem}")
    print(f"truth: {count} runs of {len(known)} rules, {len(problems)} failed, {time.monotonic() - start:.0f} s")
    if options.command == "measure":
        from truthkit import figures

        figures.write(plans, results, options.device, python, options.out)
    return 1 if problems else 0


def main(argv: Optional[list[str]] = None) -> int:
    options = _arguments(argv)
    if options.command in ("check", "measure"):
        return _run(options)
    if options.command == "prepare":
        print(f"truth: {fixes.prepare(options.torchleak, options.out, all_rules())} fixed blocks in {options.out}")
        return 0
    from truthkit import figures, render

    if options.command == "merge":
        figures.merge(options.folder)
        return 0
    return render.render(options.check)
