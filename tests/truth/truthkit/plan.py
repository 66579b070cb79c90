"""A rule's truth.py, read: which runs there are, how each is driven, what is claimed of it."""

from __future__ import annotations

import importlib.util
import inspect
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Optional

from truthkit.claims import Claim, as_list
from truthkit.pages import MYTHS, RULES, Block, blocks, fingerprint, page_of


class PlanError(Exception):
    pass


def drive(*names: str, has: str = "", side: str = "", number: int = 0, claim: Any = None, against: str = "") -> Callable:
    """Drives blocks that define all `names` and have the text `has` in them; `side` and `number` narrow it further.

    The first that fits, in the order of the file, is used. The function gets (block, kit).
    """

    def mark(function: Callable) -> Callable:
        function.truth_drive = dict(  # type: ignore[attr-defined]
            names=names, has=has, side=side, number=number, claim=claim, against=against
        )
        return function

    return mark


def scenario(claim: Any = None, side: str = "bad", against: str = "", turns: int = 0) -> Callable:
    """One more run, under the name of the function, which gets (kit). Rows and costs can refer to it."""

    def mark(function: Callable) -> Callable:
        function.truth_scenario = dict(claim=claim, side=side, against=against, turns=turns)  # type: ignore[attr-defined]
        return function

    return mark


@dataclass
class Job:
    """One run: a block with its drive, or a scenario."""

    rule: str
    name: str
    side: str
    claims: list[Claim]
    code: str
    block: Optional[Block] = None
    function: Optional[Callable] = None
    against: str = ""
    turns: int = 0

    @property
    def alone(self) -> bool:
        return any(claim.alone for claim in self.claims)

    @property
    def may_raise(self) -> bool:
        return self.side == "bad" and any(claim.raises for claim in self.claims)


@dataclass
class Plan:
    rule: str
    module: Optional[ModuleType]
    jobs: list[Job] = field(default_factory=list)
    skipped: str = ""

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self.module, name, default)


def _module(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise PlanError(f"{path}: {type(error).__name__}: {error} (torch is imported inside of functions)") from error
    return module


def _fits(want: dict[str, Any], block: Block) -> bool:
    side = "bad" if block.side == "fixed" else block.side
    return (
        all(name in block.names for name in want["names"])
        and want["has"] in block.text
        and want["side"] in ("", side)
        and want["number"] in (0, block.number)
    )


def _block_job(block: Block, module: ModuleType, drives: list[Callable]) -> Job:
    function = next((f for f in drives if _fits(f.truth_drive, block)), None)  # type: ignore[attr-defined]
    want = function.truth_drive if function else {}  # type: ignore[attr-defined]
    claim = want.get("claim") or getattr(module, "CLAIM", None)
    if claim is None:
        raise PlanError(f"rules/{block.rule}/truth.py: {block.name} has no claim (CLAIM = …, or claim= of its drive)")
    source = inspect.getsource(function) if function else ""
    return Job(
        block.rule,
        block.name,
        "good" if block.side == "fixed" else block.side,
        as_list(claim),
        fingerprint(block.text + "\n" + source),
        block,
        function,
        want.get("against", ""),
    )


def _scenario_job(rule: str, name: str, function: Callable) -> Job:
    want = function.truth_scenario  # type: ignore[attr-defined]
    claims = as_list(want["claim"]) if want["claim"] else []
    code = fingerprint(inspect.getsource(function))
    return Job(rule, name, want["side"], claims, code, None, function, want["against"], want["turns"])


def _counterpart(job: Job, jobs: list[Job]) -> str:
    """The run that a bad one is compared with: itself after the fix, else a good one that is driven the same way."""
    names = {other.name for other in jobs}
    if job.against:
        if job.against not in names:
            raise PlanError(f"{job.rule}: {job.name} is compared with {job.against}, which is no run")
        return job.against
    if job.block is None:
        return ""
    if f"fixed{job.block.number}" in names:
        return f"fixed{job.block.number}"
    good = [other for other in jobs if other.block and other.side == "good"]
    same = [o for o in good if o.function is job.function and o.block and o.block.names == job.block.names]
    near = [o for o in good if o.function is job.function]
    return next((other.name for other in same + near + good), "")


def plan(rule: str, fixed: Optional[Path] = None) -> Plan:
    """All runs of a rule. `fixed` is the folder that `prepare` has written."""
    myth = rule.startswith("myths/")
    found = [] if myth else blocks(rule, page_of(rule))
    path = MYTHS / f"{rule[6:]}.py" if myth else RULES / rule / "truth.py"
    if not path.exists():
        if found:
            raise PlanError(f"rules/{rule}/truth.py is missing: tests/truth/README.md shows what it says")
        return Plan(rule, None)
    module = _module(path, "truth_of_" + rule.replace("-", "_").replace("/", "_"))
    if why := getattr(module, "NO_CLAIM", ""):
        return Plan(rule, module, skipped=why)
    if fixed:
        for block in [b for b in found if b.side == "bad"]:
            file = fixed / rule / f"{block.number}.py"
            if file.exists():
                text = file.read_text(encoding="utf-8")
                found.append(Block(rule, "fixed", block.number, text, block.caption))
    members = list(vars(module).items())
    drives = [value for _, value in members if hasattr(value, "truth_drive")]
    jobs = [_block_job(block, module, drives) for block in found]
    jobs += [_scenario_job(rule, name, value) for name, value in members if hasattr(value, "truth_scenario")]
    for job in jobs:
        if job.side == "bad" or job.against:
            job.against = _counterpart(job, jobs)
    return Plan(rule, module, jobs)
