#!/usr/bin/env python3
"""Runs what the pages of the rules claim, with real PyTorch. README.md beside this file has the whole."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from truthkit.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
