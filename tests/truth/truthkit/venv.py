"""An environment with the PyTorch that the figures of the CPU were measured with."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

WANTED = Path(__file__).resolve().parents[1] / "requirements.txt"


def python(folder: Path) -> str:
    program, stamp = folder / "bin" / "python", folder / "installed.txt"
    if not stamp.exists() or stamp.read_text() != WANTED.read_text():
        venv.create(folder, with_pip=True, clear=True)
        command = [str(program), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(WANTED)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        stamp.write_text(WANTED.read_text())
    return str(program)
