"""The harness itself, without PyTorch: a claim that does not hold is said, a figure of other code is not shown."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from truthkit import calls, figures, judge, pages, plan, render, tables  # noqa: E402
from truthkit.claims import Grows, Notes, PeakHigher, Raises, SameAs, SlowerOnGpu, size  # noqa: E402

PAGE = """# made-up (TLK999)

- **Severity**: error
- **Cost**: unknown

## What it finds
Something.

## Why it costs memory
Because.

## Bad
A list that grows. More words:

```python
def train(model, loader):
    kept = []
    for images, labels in loader:
        kept.append(model(images))
```

## Good
Numbers instead:

```python
def train(model, loader):
    kept = []
    for images, labels in loader:
        kept.append(model(images).sum().item())
```

## How to fix
"""

TRUTH = """
from truthkit import Grows, drive
CLAIM = Grows(mb=1)
COST = "{bad1} a step instead of {good1}"

@drive("train", has="append")
def train(block, kit):
    kit.call(block.train)
"""


class ClaimsTest(unittest.TestCase):
    def test_growth(self) -> None:
        claim = Grows(mb=1)
        small, large = dict(growth_host=2e3), dict(growth_host=2e6)
        self.assertEqual(claim.problem("bad", large, None, "cpu"), "")
        self.assertIn("at least 1 MB", claim.problem("bad", small, None, "cpu"))
        self.assertEqual(claim.problem("good", small, None, "cpu"), "")
        self.assertIn("2 MB", claim.problem("good", large, None, "cpu"))

    def test_growth_on_the_device_is_asserted_there_only(self) -> None:
        claim = Grows(mb=1, on="device")
        run = dict(growth_host=5e6, growth_device=0.0)
        self.assertEqual(claim.problem("bad", run, None, "cpu"), "")
        self.assertNotEqual(claim.problem("bad", run, None, "cuda"), "")
        self.assertEqual(claim.problem("good", run, None, "cuda"), "")

    def test_pairs(self) -> None:
        self.assertEqual(PeakHigher(ratio=2).problem("bad", dict(peak=10), dict(peak=5), "cpu"), "")
        self.assertNotEqual(PeakHigher(ratio=2).problem("bad", dict(peak=9), dict(peak=5), "cpu"), "")
        self.assertNotEqual(PeakHigher(ratio=2).problem("bad", dict(peak=9), None, "cpu"), "")
        self.assertNotEqual(SameAs("peak", 0.1).problem("bad", dict(peak=9), dict(peak=5), "cpu"), "")
        self.assertEqual(SlowerOnGpu(1.5).problem("bad", dict(ms=1), dict(ms=1), "cpu"), "")
        self.assertNotEqual(SlowerOnGpu(1.5).problem("bad", dict(ms=1), dict(ms=1), "cuda"), "")

    def test_notes_and_exceptions(self) -> None:
        claim = Notes("workers", bad=">= 4", good="<= 2")
        self.assertEqual(claim.problem("bad", dict(notes=dict(workers=4)), None, "cpu"), "")
        self.assertNotEqual(claim.problem("good", dict(notes=dict(workers=3)), None, "cpu"), "")
        self.assertIn("did not note", claim.problem("good", dict(notes={}), None, "cpu"))
        raised = dict(raised="TypeError: no", raised_kinds=["TypeError", "Exception"])
        self.assertEqual(Raises("TypeError").problem("bad", raised, None, "cpu"), "")
        self.assertNotEqual(Raises("ValueError").problem("bad", raised, None, "cpu"), "")
        self.assertNotEqual(Raises("TypeError").problem("bad", {}, None, "cpu"), "")

    def test_sizes(self) -> None:
        shown = [size(value) for value in (512, 15_290, 4_356_000, 5_479_020_000)]
        self.assertEqual(shown, ["512 B", "15.3 kB", "4.36 MB", "5,479 MB"])


class PagesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.rules = Path(self.folder.name)
        (self.rules / "made-up").mkdir()
        (self.rules / "made-up" / "rule.md").write_text(PAGE)
        (self.rules / "made-up" / "truth.py").write_text(TRUTH)
        for module in (pages, plan):
            patch = mock.patch.object(module, "RULES", self.rules)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.folder.cleanup)

    def figures(self, job: plan.Job, growth: float) -> dict:
        return {"code": job.code, "growth_host": growth, "peak": 1e6, "machine": "here"}

    def test_blocks_and_their_counterparts(self) -> None:
        jobs = plan.plan("made-up").jobs
        self.assertEqual([job.name for job in jobs], ["bad1", "good1"])
        self.assertEqual(jobs[0].against, "good1")
        self.assertEqual(jobs[0].block.caption, "A list that grows")

    def test_a_fixed_block_is_held_to_what_a_good_one_is(self) -> None:
        fixed = self.rules / "fixed"
        (fixed / "made-up").mkdir(parents=True)
        (fixed / "made-up" / "1.py").write_text("def train(model, loader):\n    append = 1\n")
        jobs = plan.plan("made-up", fixed).jobs
        self.assertEqual([(job.name, job.side) for job in jobs][-1], ("fixed1", "good"))
        self.assertEqual(jobs[0].against, "fixed1")
        result = dict(growth_host=9e6, notes={})
        problems = judge.problems_of(jobs[-1], {("made-up", "fixed1"): result}, "cpu")
        self.assertIn("no more than", problems[0])

    def test_what_is_missing_is_said(self) -> None:
        (self.rules / "made-up" / "truth.py").unlink()
        with self.assertRaisesRegex(plan.PlanError, "truth.py is missing"):
            plan.plan("made-up")
        (self.rules / "made-up" / "truth.py").write_text("")
        with self.assertRaisesRegex(plan.PlanError, "has no claim"):
            plan.plan("made-up")

    def test_a_run_that_breaks_fails(self) -> None:
        job = plan.plan("made-up").jobs[0]
        self.assertEqual(judge.problems_of(job, {}, "cpu"), ["was not run"])
        raised = dict(raised="KeyError: 1", raised_kinds=["KeyError"], traceback="KeyError: 1")
        self.assertEqual(judge.problems_of(job, {("made-up", "bad1"): raised}, "cpu"), ["KeyError: 1"])

    def test_rendering(self) -> None:
        found = plan.plan("made-up")
        bad, good = found.jobs
        data = figures.Figures({"here": dict(device="CPU X", torch="9.9", python="3", date="today")})
        data.runs[("made-up", "cpu", "bad1")] = self.figures(bad, 2e6)
        data.runs[("made-up", "cpu", "good1")] = self.figures(good, 10.0)
        page = render.with_figures(PAGE, found, data)
        self.assertIn("- **Cost**: 2 MB a step instead of none (on a CPU)\n", page)
        self.assertIn(f"\n\n{tables.HEADER}\n|---|---|---|\n| bad: A list that grows | 2 MB a step | – |\n", page)
        self.assertIn("CPU: CPU X, PyTorch 9.9, today", page)
        self.assertEqual(render.with_figures(page, found, data), page)
        data.runs[("made-up", "cpu", "bad1")]["code"] = "other"
        stale = render.with_figures(page, found, data)
        self.assertNotIn("2 MB a step | – |", stale)
        self.assertIsNone(data.of(bad, "cpu"))

    def test_growth_in_words(self) -> None:
        job = plan.plan("made-up").jobs[0]
        row = tables.Row("", job, "growth")
        both = dict(growth_device=512, growth_host=60_000)
        self.assertEqual(tables.value_of(both, row), "512 B, and 60 kB on the host")
        self.assertEqual(tables.value_of(dict(growth_device=0, growth_host=60_000), row), "60 kB on the host")
        self.assertEqual(tables.value_of(dict(growth_device=5e9, growth_host=0), row), "5,000 MB")
        self.assertEqual(tables.value_of(dict(growth_device=0, growth_host=10), row), "none")
        self.assertEqual(tables.value_of(None, row), tables.NOTHING)

    def test_figures_typed_by_hand_are_named(self) -> None:
        found = plan.plan("made-up")
        self.assertEqual(render.by_hand(PAGE, found), [])
        typed = PAGE.replace("Because.", "It was 5.5 MB a step, with batches of 3×16×16.")
        self.assertEqual(len(render.by_hand(typed, found)), 1)

    def test_comments_do_not_change_what_a_figure_belongs_to(self) -> None:
        self.assertEqual(pages.fingerprint("x = 1  # a\n"), pages.fingerprint("x = 1\n"))
        self.assertNotEqual(pages.fingerprint("x = 1\n"), pages.fingerprint("x = 2\n"))
        self.assertEqual(pages.fingerprint("def f(): return None\n"), "8776c8dd7fed")  # of any Python


def takes_images(model, loader):
    for images in loader:
        model(images)


def takes_pairs(model, loader):
    for step, (images, labels) in enumerate(loader):
        model(images, labels, step)


class CallsTest(unittest.TestCase):
    def test_what_a_loop_takes(self) -> None:
        self.assertEqual(calls.items_of(takes_images, "loader"), 1)
        self.assertEqual(calls.items_of(takes_pairs, "loader"), 2)

    def test_arguments(self) -> None:
        found = calls.arguments(takes_pairs, lambda name, _: name.upper(), dict(model=1))
        self.assertEqual(found, dict(model=1, loader="LOADER"))
        with self.assertRaises(TypeError):
            calls.arguments(takes_pairs, lambda name, _: name, dict(other=1))


if __name__ == "__main__":
    unittest.main()
