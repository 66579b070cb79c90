"""What the torchleak binary says of itself and of code. The site asks it; nothing is written down twice."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class AnalyzerError(Exception):
    """There is no binary, or it does not do what it is asked."""


@dataclass(frozen=True)
class Step:
    """One place in the code, with what happens there. Rows and columns count from 1."""

    row: int
    begin: int
    end_row: int
    end: int
    message: str


@dataclass(frozen=True)
class Finding:
    code: str
    severity: str
    message: str
    place: Step
    flow: tuple[Step, ...]
    fix: str | None  # "safe", "unsafe"


def _step(json_place: Mapping[str, Any], message: str) -> Step:
    begin, end = json_place["location"], json_place["end_location"]
    return Step(begin["row"], begin["column"], end["row"], end["column"], message)


def _finding(entry: Mapping[str, Any]) -> Finding:
    return Finding(
        code=entry["code"],
        severity=entry["severity"],
        message=entry["message"],
        place=_step(entry, entry["message"]),
        flow=tuple(_step(step, step["message"]) for step in entry["flow"]),
        fix=entry["fix"] and entry["fix"]["applicability"],
    )


class Analyzer:
    """The binary named by the variable TORCHLEAK, else the one that `./dev run` builds."""

    def __init__(self, root: Path) -> None:
        named = os.environ.get("TORCHLEAK")
        self._binary = Path(named) if named else root / "build/release/bin/torchleak"
        if not self._binary.is_file():
            raise AnalyzerError(
                f"{self._binary} is not there, and the pages of the rules are made with it: "
                "`./dev docs` builds both"
            )

    def _run(self, arguments: Sequence[str], folder: Path | None = None) -> Any:
        done = subprocess.run(
            [self._binary, *arguments], cwd=folder, capture_output=True, timeout=120, check=False
        )
        if done.returncode != 0:
            command = " ".join(["torchleak", *arguments])
            raise AnalyzerError(f"{command}: exit status {done.returncode}\n{done.stderr.decode()}")
        return json.loads(done.stdout)

    def rules(self) -> list[dict[str, Any]]:
        """Code, name, summary, severity and page of every rule, in order of the codes."""
        rules: list[dict[str, Any]] = self._run(["rule", "--all", "--output-format", "json"])
        return rules

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = self._run(["config", "schema"])
        return schema

    def check(self, sources: Mapping[str, str], *options: str) -> dict[str, list[Finding]]:
        """The findings of each source, by its key. Each is a file of its own, checked with no configuration."""
        keys = {f"block_{number}.py": key for number, key in enumerate(sources)}
        with tempfile.TemporaryDirectory() as folder:
            for name, key in keys.items():
                Path(folder, name).write_text(sources[key], encoding="utf-8")
            fixed = ["--isolated", "--no-cache", "--exit-zero", "--output-format", "json"]
            entries = self._run(["check", ".", *fixed, *options], Path(folder))
        findings: dict[str, list[Finding]] = {key: [] for key in sources}
        for entry in entries:
            findings[keys[Path(entry["filename"]).name]].append(_finding(entry))
        return findings
