"""The bad blocks after `torchleak check --fix --unsafe-fixes`."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from truthkit.pages import Block, blocks, code_of, page_of

CHECK = ["check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "--select", "ALL"]


def _fix(torchleak: Path, block: Block, code: str, folder: Path) -> bool:
    """Whether the fix changes the block and takes its finding away; then the result is in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{block.number}.py"
    file.write_text(block.text, encoding="utf-8")
    program = str(torchleak.resolve())
    subprocess.run([program, *CHECK, "--fix", "--unsafe-fixes", str(file)], capture_output=True, timeout=60)
    done = subprocess.run([program, *CHECK, "--output-format", "json", str(file)], capture_output=True, timeout=60)
    left = json.loads(done.stdout or b"[]")
    findings = left.get("findings", left.get("diagnostics", [])) if isinstance(left, dict) else left
    still = code in json.dumps(findings)
    if file.read_text(encoding="utf-8") == block.text or still:
        file.unlink()
        return False
    return True


def prepare(torchleak: Path, out: Path, rules: list[str]) -> int:
    bad = [(rule, b) for rule in rules if "/" not in rule for b in blocks(rule, page_of(rule)) if b.side == "bad"]
    codes = {rule: code_of(rule) for rule in rules if "/" not in rule}
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        done = pool.map(lambda one: _fix(torchleak, one[1], codes[one[0]], out / one[0]), bad)
        return sum(done)
