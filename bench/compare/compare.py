#!/usr/bin/env python3
"""torchleak beside its peers: measures, keeps the figures in results.json, writes docs/comparison.md.

compare.py measure               probes, cases and features; writes results and page
compare.py check                 the same, and fails where results or page say something else
compare.py speed DIR NAME        on the Python files below DIR, called NAME in the page
compare.py render                the page, from the results

--torchleak FILE  the program (default: build/release/bin/torchleak)
--venv DIR        where the peers are installed (default: build/compare)
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time

import marks
import page
import probes
import tools

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "bench/compare/results.json"
RUNS = 3


def scores(bench, write, *args):
    """{tool: {pattern: [marked, found, look-alikes, reported]}} on one set of files."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        wanted, areas = write(*args, folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda tool: bench.check(tool, folder), tools.TOOLS))
        return {tool: marks.score(tool, findings, wanted, areas, folder)
                for tool, findings in zip(tools.TOOLS, found)}


def small(bench, patterns=None):
    """The part that a test repeats, for the patterns that were compared: a new rule changes no figure
    before it is measured."""
    names = {code: name for code, name in marks.rule_names(ROOT).items() if name in (patterns or [name])}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        features = probes.run_all(bench, folder)
        alone = probes.torchfix_alone(bench, folder / "alone")
    return {
        "patterns": list(names.values()),
        "versions": bench.versions(),
        "rules": {tool: len(bench.rules(tool)) for tool in tools.PACKAGES},
        "torchfix codes": bench.rules("TorchFix"),
        "sets": {
            "probes": scores(bench, marks.write_probes, ROOT, names),
            "cases": scores(bench, marks.write_cases, ROOT / "fixtures/cases"),
        },
        "features": features,
        "torchfix alone": alone,
    }


def timed(bench, command, folder):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    bench.run(command, folder)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def speed(bench, folder, name):
    """Medians of RUNS rounds; in each round every tool has its turn. Of dslinter only the rules for
    PyTorch: others run mypy on each file."""
    folder = pathlib.Path(folder).resolve()
    files = sorted(folder.rglob("*.py"))
    names = [str(f.relative_to(folder)) for f in files]
    lines = sum(f.read_bytes().count(b"\n") for f in files)  # and fills the page cache
    torch_rules = bench.dslinter_torch_rules
    times = {}
    for _ in range(RUNS):
        for tool in tools.TOOLS:
            for mode in ("one thread", "default"):
                command = bench.command(tool, mode == "one thread", names, torch_rules)
                if tool == "TorchFix":  # flake8 would run its other plugins as well
                    one = ["-j1"] if mode == "one thread" else []
                    command = [bench.program("torchfix"), "--select", "ALL", ".", *one]
                got = timed(bench, command, folder)
                times.setdefault(tool, {}).setdefault(mode, []).append(got)
    return {"speed": {
        "name": name, "files": len(files), "lines": lines, "runs": RUNS,
        "seconds": {tool: {
            f"{kind}, {mode}": round(statistics.median(run[index] for run in runs), 2)
            for mode, runs in modes.items() for index, kind in enumerate(("wall", "cpu"))
        } for tool, modes in times.items()},
    }}


def differences(old, new, where=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), f"{where}/{key}")
    elif old != new:
        yield f"{where[1:]}: {old} in results.json, {new} now"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=("measure", "check", "speed", "render"))
    parser.add_argument("more", nargs="*")
    parser.add_argument("--torchleak", default=ROOT / "build/release/bin/torchleak")
    parser.add_argument("--venv", default=ROOT / "build/compare")
    options = parser.parse_args()
    bench = tools.Bench(options.venv, options.torchleak)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    new = {}
    if options.what != "render":
        bench.folder.mkdir(parents=True, exist_ok=True)
        bench.install()
        work = {"measure": small, "check": small, "speed": speed}[options.what]
        more = [results["patterns"]] if options.what == "check" else options.more
        new = json.loads(json.dumps(work(bench, *more)))

    if options.what == "check":
        wrong = list(differences({key: results.get(key) for key in new}, new)) + page.wrong(results)
        print("\n".join(wrong) or "the comparison holds")
        if wrong:
            print("after a change that is meant: bench/compare/compare.py measure, and read the difference")
        return 1 if wrong else 0
    if new:
        results.update(new)
        results["date"] = datetime.date.today().isoformat()
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    page.write(results)
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
